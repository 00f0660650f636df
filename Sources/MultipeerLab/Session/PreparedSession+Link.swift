import MultipeerCommandLine
import MultipeerNIO
import MultipeerSodium

extension PreparedSession {
    var linkOptions: LinkOptions {
        var options = LinkOptions(random: sodium.random)
        options.validator = validator
        options.stallTimeout = stallTimeout
        options.countsCreditAsStall = true
        return options
    }
}
