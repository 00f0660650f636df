import Multipeer

/// What these tests wait for comes, however busy the computer is: at a load of 20 a process stands still for longer than the 30 seconds
/// that an app waits by default. The time limit of a suite ends a test that waits in vain.
extension Session {
    @discardableResult
    func invite(_ endpoint: Endpoint) async throws(MultipeerError) -> Member {
        try await invite(endpoint, timeout: .seconds(600))
    }
}
