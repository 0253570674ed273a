import WaybillHTTP2
import WaybillThreads

/// A GOAWAY that follows another.
struct PendingGoAway {
    let goAway: SimulatorGoAway
    /// The stream that called for the first one; `nil` when no request did.
    let stream: Int32?
}

// GOAWAY (RFC 9113 §6.8) in all its forms.
extension SimulatorConnection {
    /// Says GOAWAY, about one request or from outside.
    func sayGoAway(_ goAway: SimulatorGoAway, on request: RequestInProgress? = nil) {
        sayGoAway(goAway, on: request?.stream)
    }

    private func sayGoAway(_ goAway: SimulatorGoAway, on stream: Int32?) {
        guard session != nil else { return }
        guard goAway.lastStream != .graceful else { return announceGoAway(goAway, on: stream) }
        let last = requests.lastStream(goAway.lastStream, on: stream)
        // Its number lies below that of a request that is already decided: the frame cannot give it back.
        if goAway.lastStream == .none, let stream, stream <= last { reset(stream, .refusedStream) }
        submitGoAway(last, goAway.errorCode, goAway.debugBytes)
        if let second = goAway.second {
            var next = SimulatorGoAway(
                errorCode: second.errorCode,
                reason: second.reason,
                lastStream: second.lastStream
            )
            next.closesAfter = goAway.closesAfter
            followUp(with: PendingGoAway(goAway: next, stream: stream), after: second.after)
        } else if let time = goAway.closesAfter {
            staysOpen = true
            schedule(.close, after: time)
        }
        if goAway.closes { closesAfterFlush = true }
    }

    /// Says that a GOAWAY will come, which leaves room for requests that are under way (RFC 9113 §6.8).
    ///
    /// nghttp2 would let no further request in behind a frame of its own.
    private func announceGoAway(_ goAway: SimulatorGoAway, on stream: Int32?) {
        var payload: [UInt8] = [0x7F, 0xFF, 0xFF, 0xFF]
        payload += withUnsafeBytes(of: goAway.errorCode.rawValue.bigEndian) { Array($0) }
        payload += goAway.debugBytes
        var frame: [UInt8] = []
        RawFrame.append(type: .goAway, stream: 0, payload, to: &frame)
        output.append(raw: frame)
        var next = goAway
        next.lastStream = .all
        followUp(with: PendingGoAway(goAway: next, stream: stream), after: goAway.graceful)
    }

    private func followUp(with next: PendingGoAway, after delay: Duration) {
        nextGoAway = next
        if delay > .zero { schedule(.secondGoAway, after: delay) } else { secondGoAwayIsDue() }
    }

    func secondGoAwayIsDue() {
        guard let next = nextGoAway else { return }
        nextGoAway = nil
        sayGoAway(next.goAway, on: next.stream)
    }

    private func submitGoAway(_ last: Int32, _ code: HTTP2ErrorCode, _ debugData: [UInt8]) {
        observer.expectGoAway()
        session?.submitGoAway(lastStream: requests.serve(upTo: last), errorCode: code.rawValue, debugData: debugData)
    }
}
