import Foundation

/// The sending end of a stream. It is used like other streams of Foundation: opened, scheduled on run loops or asked,
/// and closed after the last byte.
final class MCOutputStream: OutputStream {
    private let bytes: OutgoingBytes
    private let listener = WeakReference<any StreamDelegate>()

    init(_ bytes: OutgoingBytes) {
        self.bytes = bytes
        super.init(toMemory: ())
    }

    /// A stream of this kind comes from ``MCSession/startStream(withName:toPeer:)`` alone. One that is made otherwise leads nowhere.
    required init(toMemory: ()) {
        bytes = OutgoingBytes()
        super.init(toMemory: ())
        bytes.fail(MCError(.unsupported, "this stream leads to no peer"))
    }

    deinit { bytes.close() }

    override weak var delegate: (any StreamDelegate)? {
        get { listener.value }
        set { listener.set(newValue) }
    }

    override func open() { bytes.open() }
    override func close() { bytes.close() }
    override var streamStatus: Stream.Status { bytes.status }
    override var streamError: (any Error)? { bytes.error }
    override var hasSpaceAvailable: Bool { bytes.hasSpace }

    /// Takes as much as there is room for, and waits for room if there is none.
    override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
        bytes.write(len) { count in
            // SAFETY: at most `len` bytes are wanted, which the caller has there.
            unsafe Array(UnsafeBufferPointer(start: buffer, count: count))
        }
    }

    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
    override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

    override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        let stream = WeakReference<MCOutputStream>()
        stream.set(self)
        bytes.schedule.add(aRunLoop, mode) {
            guard let stream = stream.value, let event = stream.bytes.nextEvent() else { return false }
            stream.delegate?.stream(stream, handle: event)
            return true
        }
    }

    override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { bytes.schedule.remove(aRunLoop, mode) }
}
