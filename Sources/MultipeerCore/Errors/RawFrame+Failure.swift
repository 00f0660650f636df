import MultipeerWire

extension RawFrame {
    /// The error for a frame that the state does not allow.
    var unexpected: LinkFailureCause { .violation(.unexpectedFrame(rawType)) }

    /// Decodes the payload, and sorts errors by blame.
    func decode<Frame: ControlFrame>(_ frame: Frame.Type) throws(LinkFailureCause) -> Frame {
        do {
            return try Frame(payload: payload)
        } catch {
            throw LinkFailureCause(error)
        }
    }
}
