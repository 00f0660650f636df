import Logging

extension LinkHandler {
    /// At debug level, without names, payload or secrets.
    func log(_ message: Logger.Message, _ metadata: @autoclosure () -> Logger.Metadata = [:]) {
        options.logger?.debug(message, metadata: metadata())
    }
}
