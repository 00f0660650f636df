import MultipeerCore
import MultipeerDriver
import MultipeerWire
import NIOCore

/// The requests of the connection, on the event loop, and the end of the channel.
extension LinkHandler {
    func perform<Result>(
        _ request: (inout Link, Instant) throws(RequestError) -> Result
    ) -> Swift.Result<Result, RequestError> {
        defer { drain() }
        do throws(RequestError) {
            return .success(try driver.perform(at: now, request))
        } catch {
            return .failure(error)
        }
    }

    func drive<Result>(
        _ request: (LinkDriver, Instant) throws(RequestError) -> Result
    ) -> Swift.Result<Result, RequestError> {
        defer { drain() }
        do throws(RequestError) {
            return .success(try request(driver, now))
        } catch {
            return .failure(error)
        }
    }

    func close() {
        driver.close(at: now)
        drain()
    }

    func close(_ code: CloseCode) {
        driver.close(code, at: now)
        drain()
    }

    /// Closes the channel at once.
    func abort() {
        driver.abort(at: now)
        drain()
        // The driver closes only a transport that has opened.
        if !isActive { context?.close(promise: nil) }
    }

    /// Ends the link because its place goes to another one. The transport is closed at once, because a link that waited
    /// for its peer to close would still need what the other one needs.
    func evict() {
        driver.fail(.noRoom, at: now)
        drain()  // CLOSE leaves now or never
        abort()
    }

    /// Ends the link because the program ends. Returns a future that completes when the channel is closed.
    func shutDown() -> EventLoopFuture<Void> {
        guard let context else { return eventLoop.makeSucceededVoidFuture() }
        let end = context.channel.closeFuture
        driver.shutDown(at: now)
        drain()
        return end
    }

    /// Closes the channel as far as the driver requires.
    func closeAsDriverWants() {
        while let context, let step = driver.nextTransportStep(at: now) {
            switch step {
            case .endOutput: endOutput(context)
            case .closeAfterWrites: closeAfterWrites(context)
            case .close: context.close(promise: nil)
            }
        }
    }

    private func endOutput(_ context: ChannelHandlerContext) {
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let promise = eventLoop.makePromise(of: Void.self)
        promise.futureResult.whenComplete { result in
            let handler = bound.value
            switch result {
            case .success: handler.driver.outputEnded()
            case .failure: handler.driver.outputCannotEnd()
            }
            handler.drain()
        }
        context.close(mode: .output, promise: promise)
    }

    private func closeAfterWrites(_ context: ChannelHandlerContext) {
        let bound = NIOLoopBound(context, eventLoop: eventLoop)
        context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer())).whenComplete { _ in
            bound.value.close(promise: nil)
        }
    }
}
