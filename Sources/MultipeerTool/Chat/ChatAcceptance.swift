import ArgumentParser

/// `--accept` of `multipeer chat`
enum ChatAcceptance: String, ExpressibleByArgument, CaseIterable {
    case all, ask, none
}
