import MultipeerCrypto

/// What an app passes to initialisers that cannot throw: Apple's do not.
///
/// What Apple's framework accepts is accepted here. What it refuses stops the program, in release builds too, with a line that names what
/// is wrong.
enum AppArgument {
    static func service(_ label: String) -> ServiceType {
        do throws(ServiceTypeError) {
            return try ServiceType(ignoringCaseOf: label)
        } catch {
            stop("serviceType: “\(label)” is none. \(error)")
        }
    }

    /// What can be advertised of it (R23.2-2). Apple's framework has no rule for keys but that of the equals sign, and recommends 400
    /// bytes.
    static func info(_ info: [String: String]) -> DiscoveryInfo {
        var (kept, leftOut) = ([String: String](), [String]())
        for (key, value) in info.sorted(by: { $0.key < $1.key }) {
            guard !key.isEmpty, !key.utf8.contains(UInt8(ascii: "=")) else {
                stop("discoveryInfo: the key “\(key)” is empty, or has an equals sign. Name it otherwise")
            }
            guard key.utf8.count + 1 + value.utf8.count <= DiscoveryInfo.maximumStringLength else {
                stop("discoveryInfo: “\(key)” and its value exceed 255 bytes. Shorten the value")
            }
            let more = kept.merging([key: value]) { $1 }
            if (try? DiscoveryInfo(more)) == nil { leftOut.append(key) } else { kept = more }
        }
        if !leftOut.isEmpty {
            let keys = leftOut.map { "“\($0)”" }.joined(separator: ", ")
            Notices.print(
                "discoveryInfo: \(keys) cannot be advertised. Name keys by 1 to 64 characters of ASCII that do not begin with _ and "
                    + "differ in more than case, and use at most 400 bytes in all")
        }
        guard let info = try? DiscoveryInfo(kept) else { stop("discoveryInfo: the kept entries are allowed") }
        return info
    }

    /// Ends the program: its code is wrong.
    static func stop(_ reason: String) -> Never { fatalError("MultipeerConnectivity: \(reason)") }
}
