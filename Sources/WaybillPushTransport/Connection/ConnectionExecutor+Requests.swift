import WaybillHTTP2
import WaybillThreads

/// The requests that are open on a connection.
extension ConnectionExecutor {
    /// Puts a request on a stream.
    ///
    /// - Parameters:
    ///   - job: the request.
    ///   - head: its headers.
    ///   - body: its body.
    ///   - tokenSerial: the token's in the headers; 0 without one.
    /// - Returns: `false` when the connection cannot take it; the request is then still the caller's.
    func submit(_ job: RequestJob, head: HTTP2HeaderBlock, body: ArraySlice<UInt8>, tokenSerial: Int) -> Bool {
        guard let http else { return false }
        do {
            let stream = try http.submitRequest(head, body: body)
            streams.insert(job: job, stream: stream, at: now, tokenSerial: tokenSerial)
            machine.streamOpened()
            meter.record.carried += 1
            // RFC 9113 §5.1.1: stream ids are never used twice; leave before they run out.
            if stream > Int32.max - 4096 { retire("stream ids exhausted") }
            return true
        } catch {
            retire("\(error)")
            return false
        }
    }

    /// Gives up the requests whose deadline has passed.
    func expireRequests() {
        let limit = settings.deadlines.request
        while let oldest = streams.oldest, now.duration(since: streams[oldest].submittedAt) >= limit {
            let stream = streams[oldest].stream
            http?.reset(stream: stream, errorCode: HTTP2ErrorCode.cancel)
            owner.requestTimedOut()
            // Before the request goes back to the queue, so that it finds another connection.
            if machine.answering.isSilent(since: streams[oldest].submittedAt) { giveUp() }
            end(oldest, .timeout)
            performPending()
        }
    }

    /// Takes a request out of the table and reports that it has no answer.
    func end(_ slot: Int, _ streamEnd: StreamEnd) {
        // A status is an answer even when the stream was cut after it.
        guard streams[slot].status == 0 else { return answered(slot) }
        let entry = streams.remove(slot)
        owner.unanswered(entry, streamEnd)
        postpone(machine.streamEnded(at: now))
    }

    /// Resets streams whose response ended before our request did (RFC 9113 §8.1): the answer is known, and the rest of
    /// the body would only wait for a window.
    func resetEndedEarly() {
        guard streams.endedEarly > 0, let http else { return }
        var next = streams.newest
        while let slot = next, streams.endedEarly > 0 {
            next = streams.older(than: slot)
            guard streams[slot].hasEnded else { continue }
            http.reset(stream: streams[slot].stream, errorCode: HTTP2ErrorCode.noError)
            answered(slot)
        }
    }

    /// Takes a request out of the table and reports its answer.
    func answered(_ slot: Int) {
        let entry = streams.remove(slot)
        owner.answered(entry, on: self)
        postpone(machine.streamEnded(at: now))
    }
}
