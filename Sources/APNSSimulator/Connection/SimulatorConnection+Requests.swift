import HTTP2
import Threads

// From frames to requests. HTTP2Session calls this on the server's thread, inside the connection's own turn.
extension SimulatorConnection: HTTP2Delegate {
    func headersBegan(stream: Int32) {
        // A second block on a stream holds trailers, which mean nothing to APNs.
        guard requests[stream] == nil else {
            currentHead = nil
            return
        }
        let request = spareRequests.popLast() ?? RequestInProgress()
        request.begin(stream: stream)
        requests[stream] = request
        currentHead = request
        lastStream = max(lastStream, stream)
        if requests.count > peakStreams {
            peakStreams = requests.count
            context.journal.peaked(connection: number, streams: peakStreams)
        }
    }

    func header(stream: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        currentHead?.head.append(name: name, value: value)
    }

    func headersEnded(stream: Int32, endStream: Bool) {
        currentHead = nil
        if endStream { complete(stream) }
    }

    func data(stream: Int32, bytes: UnsafeRawBufferPointer) {
        requests[stream]?.append(bytes)
    }

    func streamEnded(stream: Int32) {
        complete(stream)
    }

    func streamClosed(stream: Int32, errorCode: UInt32) {
        guard let request = requests.removeValue(forKey: stream) else { return }
        if !request.isComplete { context.journal.count { $0.abandonedRequests += 1 } }
        spareRequests.append(request)
    }

    func requestSent(stream: Int32) {}

    func settingsReceived() {}

    func goAway(lastStream: Int32, errorCode: UInt32, debugData: UnsafeRawBufferPointer) {}

    func pingAcknowledged(_ opaque: UInt64) {}
}

// From requests to what becomes of them.
extension SimulatorConnection {
    /// Decides about a request whose last byte has come.
    private func complete(_ stream: Int32) {
        guard let request = requests[stream], !request.isComplete else { return }
        request.isComplete = true
        lastDecided = max(lastDecided, stream)
        if context.configuration.answersConstantly {
            acceptedThisTurn += 1
            return respond(.accepted, to: request)
        }
        let decision = context.desk.decide(request, gate: &gate, connection: number)
        if decision.delay > .zero {
            request.decision = decision
            let id = ServerContext.Deadline(connection: id, kind: .decision(stream: stream))
            context.deadlines.schedule(id, at: MonotonicTime.now().advanced(by: decision.delay))
        } else {
            carryOut(decision, on: request)
        }
    }

    /// Carries out a decision whose delay has passed, unless the stream has been closed meanwhile.
    func decisionIsDue(stream: Int32) {
        guard !isFinished, let request = requests[stream], let decision = request.decision else { return }
        request.decision = nil
        carryOut(decision, on: request)
    }

    private func carryOut(_ decision: Decision, on request: RequestInProgress) {
        if let streams = decision.maxConcurrentStreams { announce(limit.pin(to: streams)) }
        switch decision.fault {
        case .reset(let code): reset(request.stream, code)
        case .close: abort()
        case .goAway(let goAway): sayGoAway(goAway, on: request)
        case .silence, nil: break
        }
        if let answer = decision.answer {
            respond(answer, to: request)
            announce(limit.answered(status: answer.status, tokenWasGood: decision.tokenWasGood))
        }
    }

    private func respond(_ answer: SimulatorAnswer, to request: RequestInProgress) {
        guard let session else { return }
        do {
            try context.writer.write(answer, to: request, in: session)
        } catch {
            // The stream is closed already, or there is no memory: this request has no answer any more.
            reset(request.stream, .internalError)
        }
    }

    private func reset(_ stream: Int32, _ code: HTTP2ErrorCode) {
        ownResets.insert(stream)
        session?.reset(stream: stream, errorCode: code.rawValue)
    }

    /// Announces a new stream limit; `nil` when there is nothing to say.
    func announce(_ streams: Int?) {
        guard let streams, let session else { return }
        session.submitSettings([(id: HTTP2Setting.maxConcurrentStreams, value: UInt32(streams))])
    }

    /// Says GOAWAY, about one request or from outside.
    func sayGoAway(_ goAway: SimulatorGoAway, on request: RequestInProgress? = nil) {
        guard let session else { return }
        var last = lastStream
        if goAway.lastStream == .none {
            last = max(request.map { previousDecided(before: $0.stream) } ?? lastDecided, 0)
            // Its number lies below that of a request that is already decided: the frame cannot give it back.
            if let request, request.stream <= last { reset(request.stream, .refusedStream) }
        }
        var debugData: [UInt8] = []
        if let reason = goAway.reason {
            debugData = SimulatorAnswer(status: 0, reason: reason).bodyBytes(now: 0)
        }
        ownGoAways += 1
        session.submitGoAway(lastStream: last, errorCode: goAway.errorCode.rawValue, debugData: debugData)
        if goAway.closes { closesAfterFlush = true }
    }

    /// The highest stream that has to count as processed when this one does not.
    private func previousDecided(before stream: Int32) -> Int32 {
        lastDecided > stream ? lastDecided : stream - 2
    }
}

// What the journal is told.
extension SimulatorConnection {
    /// Enters the constant answers of the turn.
    func noteTurn() {
        guard acceptedThisTurn > 0 else { return }
        context.journal.accepted(acceptedThisTurn, connection: number)
        acceptedThisTurn = 0
    }

    /// Enters what HTTP/2 itself refused.
    func noteSent(_ notice: SentFrames.Notice) {
        switch notice {
        case .reset(let stream, let code):
            if ownResets.remove(stream) != nil { return }
            if code == HTTP2ErrorCode.refusedStream.rawValue {
                context.journal.count { $0.streamLimitViolations += 1 }
            } else if code != HTTP2ErrorCode.noError.rawValue {
                context.journal.count { $0.malformedRequests += 1 }
            }
        case .goAway(_, isStreamLimit: true):
            context.journal.count { $0.streamLimitViolations += 1 }
        case .goAway(let code, isStreamLimit: false):
            if ownGoAways > 0 {
                ownGoAways -= 1
            } else if code != HTTP2ErrorCode.noError.rawValue {
                noteProtocolError()
            }
        }
    }

    /// Enters, once, that the client broke HTTP/2.
    func noteProtocolError() {
        guard !hasBrokenProtocol else { return }
        hasBrokenProtocol = true
        context.journal.count { $0.protocolErrors += 1 }
    }
}
