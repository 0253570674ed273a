import WaybillHTTP2
import WaybillTLS
import WaybillThreads

/// Reading, writing and submitting on an established connection.
extension ConnectionExecutor {
    /// How many TLS records are read before other connections have their turn.
    private static var recordsPerTurn: Int { 64 }
    /// As many turns read 16 MiB in records of full size; `tcp_rmem` ends at 6 MiB on Linux.
    private static var turnsOfABuffer: Int { 16 }
    /// How much is serialised before it is written: several TLS records at a time.
    private static var outputSize: Int { 64 * 1024 }

    /// Takes everything that has arrived.
    func read() {
        hasMoreInput = false
        for _ in 0..<Self.recordsPerTurn {
            guard let tls, let http else { return }
            do {
                switch try tls.read(into: context.input) {
                case .bytes(let count):
                    machine.heard(at: now)
                    try http.receive(UnsafeRawBufferPointer(rebasing: context.input[..<count]))
                    resetEndedEarly()
                    performPending()
                case .wantsRead:
                    return
                case .wantsWrite:
                    want([.readable, .writable])
                    return
                case .closed:
                    perform(machine.closedByPeer("the server closed the connection"))
                    return
                }
            } catch let error as HTTP2Error {
                pending = .nothing
                perform(machine.failed("HTTP/2: \(error)"))
                return
            } catch {
                broke(error)
                return
            }
        }
        hasMoreInput = true
    }

    /// Reads until nothing more has arrived, or more has come than a socket's buffer can have held.
    func readAll() {
        guard tls != nil, http != nil else { return }
        for _ in 0..<Self.turnsOfABuffer {
            read()
            guard hasMoreInput else { return }
        }
    }

    /// Writes what the session has to say, until there is nothing left or the socket is full.
    func flush() {
        while let tls, let http {
            do {
                if outputOffset == output.count {
                    output.removeAll(keepingCapacity: true)
                    outputOffset = 0
                    try http.drain(into: &output, limit: Self.outputSize)
                    performPending()
                    guard self.http != nil else { return }
                    if output.isEmpty { break }
                }
                let transfer = try output.withUnsafeBytes { bytes throws(TLSError) in
                    try tls.write(UnsafeRawBufferPointer(rebasing: bytes[outputOffset...]))
                }
                switch transfer {
                case .bytes(let count):
                    outputOffset += count
                    written += UInt64(count)
                case .wantsWrite:
                    want([.readable, .writable])
                    return
                case .wantsRead:
                    return
                case .closed:
                    perform(machine.closedByPeer("the server closed the connection"))
                    return
                }
            } catch let error as HTTP2Error {
                perform(machine.failed("HTTP/2: \(error)"))
                return
            } catch {
                // What the peer said before it hung up may lie in the socket: answers, or a GOAWAY.
                if self.tls != nil { read() }
                broke(error)
                return
            }
        }
        // nghttp2 wants neither when it has ended the session itself, for a peer that breaks the protocol.
        if let http, !http.wantsRead, !http.wantsWrite {
            perform(machine.failed("HTTP/2: the session has ended"))
        } else {
            want(.readable)
        }
    }

    /// The connection ended without the closing alert, as many do; any other error is a failure.
    private func broke(_ error: any Error) {
        if (error as? TLSError)?.code == .closed {
            perform(machine.closedByPeer("\(error)"))
        } else {
            perform(machine.failed("TLS: \(error)"))
        }
    }

    /// Whether there is something to write that no event will ask for.
    var needsFlush: Bool {
        // While the socket is full, the event that says otherwise comes by itself.
        !interest.contains(.writable) && (outputOffset < output.count || http?.wantsWrite == true)
    }

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
            record.carried += 1
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
        if entry.hasEnded { endedEarly -= 1 }
        owner.unanswered(entry, streamEnd)
        postpone(machine.streamEnded(at: now))
    }

    /// Tells the peer that nothing follows, as far as the socket takes it at once.
    func sayGoodbye() {
        // A request that the session still holds is reported as not sent, and would leave with the farewell.
        guard let http, let tls, outputOffset == output.count, !http.wantsWrite else { return }
        http.submitGoAway(lastStream: 0, errorCode: HTTP2ErrorCode.noError, debugData: [])
        var farewell: [UInt8] = []
        // Best effort: the connection is over whether this reaches the peer or not.
        try? http.drain(into: &farewell, limit: Self.outputSize)
        _ = try? farewell.withUnsafeBytes { bytes throws(TLSError) in try tls.write(bytes) }
    }

    /// Resets streams whose response ended before our request did (RFC 9113 §8.1): the answer is known, and the rest of
    /// the body would only wait for a window.
    private func resetEndedEarly() {
        guard endedEarly > 0, let http else { return }
        var next = streams.newest
        while let slot = next, endedEarly > 0 {
            next = streams.older(than: slot)
            guard streams[slot].hasEnded else { continue }
            http.reset(stream: streams[slot].stream, errorCode: HTTP2ErrorCode.noError)
            answered(slot)
        }
    }

    /// Takes a request out of the table and reports its answer.
    func answered(_ slot: Int) {
        let entry = streams.remove(slot)
        if entry.hasEnded { endedEarly -= 1 }
        owner.answered(entry, on: self)
        postpone(machine.streamEnded(at: now))
    }
}

/// The error codes of RFC 9113 §7 that the client sends.
enum HTTP2ErrorCode {
    static let noError: UInt32 = 0
    static let cancel: UInt32 = 8
}
