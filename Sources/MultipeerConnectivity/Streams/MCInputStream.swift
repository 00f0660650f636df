import Foundation

/// The receiving end of a stream. It is used like other streams of Foundation: opened, scheduled on run loops or asked, and closed.
final class MCInputStream: InputStream {
    fileprivate let bytes: IncomingBytes
    /// The app's; a stream without one is its own.
    private let listener = WeakReference<any StreamDelegate>()

    init(_ bytes: IncomingBytes) {
        self.bytes = bytes
        super.init(data: Data())
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
    override var hasBytesAvailable: Bool { bytes.hasBytes }

    /// Waits for bytes if there are none.
    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        bytes.read(len) { taken in
            // SAFETY: at most `len` bytes were taken, for which the caller has room.
            unsafe taken.withUnsafeBufferPointer { taken in
                guard let start = taken.baseAddress else { return }
                unsafe buffer.update(from: start, count: taken.count)
            }
        }
    }

    /// The bytes are in no buffer that others may look into.
    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>
    ) -> Bool { false }

    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
    override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

    override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        let stream = WeakReference<MCInputStream>()
        stream.set(self)
        bytes.schedule.add(aRunLoop, mode) {
            guard let stream = stream.value, let event = stream.bytes.nextEvent() else { return false }
            stream.delegate?.stream(stream, handle: event)
            return true
        }
    }

    override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { bytes.schedule.remove(aRunLoop, mode) }
}

extension InputStream {
    /// How many bytes have come over a session's stream that nobody has read, before it is opened too; nil for another stream.
    package var countOfBytesHere: Int? { (self as? MCInputStream)?.bytes.count }
}
