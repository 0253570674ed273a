import WaybillHTTP2
import WaybillThreads

// From frames to requests. HTTP2Session calls this on the server's thread, inside the connection's own turn.
extension SimulatorConnection: HTTP2Delegate {
    func headersBegan(stream: Int32) {
        let peak = requests.peak
        // Trailers mean nothing to APNs.
        currentRequest = requests.begin(stream: stream)
        observer.requestBegan()
        if requests.peak > peak { observer.peaked(requests.peak) }
    }

    func header(stream: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        guard let request = currentRequest else { return }
        request.headerListSize += name.count + value.count + 32
        request.head.append(name: name, value: value)
    }

    func headersEnded(stream: Int32, endStream: Bool) {
        guard let request = currentRequest else { return }
        currentRequest = nil
        if request.headerListSize > headerListLimit {
            refuseHeaders(of: request)
        } else if endStream {
            complete(stream)
        } else {
            headersAreComplete(request)
        }
    }

    func data(stream: Int32, bytes: UnsafeRawBufferPointer) {
        requests[stream]?.append(bytes)
    }

    func streamEnded(stream: Int32) {
        complete(stream)
    }

    func streamClosed(stream: Int32, errorCode: UInt32) {
        guard let request = requests.close(stream: stream) else { return }
        if !request.isComplete { observer.abandonedRequest() }
        streamIsOver()
    }

    func requestSent(stream: Int32) {}

    func settingsReceived() {}

    func goAway(lastStream: Int32, errorCode: UInt32, debugData: UnsafeRawBufferPointer) {}

    func pingAcknowledged(_ opaque: UInt64) {
        awaitsPing = false
    }
}

// From requests to what becomes of them.
extension SimulatorConnection {
    /// Decides about a request whose last byte has come.
    private func complete(_ stream: Int32) {
        guard let request = requests[stream], requests.awaitsDecision(request), !isDeaf else { return }
        requests.decide(request)
        if context.configuration.answersConstantly { return respond(constantAnswer(to: request), to: request) }
        if fallsSilent || script.answersNoMore || script.replacesAnswer {
            context.handler.enterUnanswered(request, connection: observer.number)
            return perform(script.requestCame(), about: request)
        }
        serve(
            request,
            context.handler.decide(request, tokens: &tokens, certificate: certificate, connection: observer.number)
        )
    }

    private func constantAnswer(to request: RequestInProgress) -> SimulatorAnswer {
        let answer = context.configuration.constantAnswer?(request.head[.path] ?? [], request.payload) ?? .accepted
        observer.answered(answer)
        return answer
    }

    /// Decides about a request whose body is still to come, if a rule wants that.
    private func headersAreComplete(_ request: RequestInProgress) {
        guard !context.configuration.answersConstantly, !fallsSilent, !script.answersNoMore,
            !script.replacesAnswer, !isDeaf,
            requests.awaitsDecision(request),
            let decision = context.handler.decideEarly(
                request,
                tokens: &tokens,
                certificate: certificate,
                connection: observer.number
            )
        else { return }
        requests.decide(request)
        serve(request, decision)
    }

    /// Resets a request whose header list is larger than the SETTINGS allow.
    ///
    /// HTTP/2 leaves the manner to the server (RFC 9113 §10.5.1), and what APNs does is not known.
    private func refuseHeaders(of request: RequestInProgress) {
        requests.decide(request)
        observer.oversizedHeaderList()
        reset(request.stream, .protocolError)
    }

    func serve(_ request: RequestInProgress, _ decision: Decision) {
        var decision = decision
        if script.emptyFrames > 0, decision.answer != nil {
            var form = decision.answer?.form ?? AnswerForm()
            form.emptyFrames = script.emptyFrames
            decision.answer?.form = form
            observer.fault("flood:empty_data")
        }
        if decision.delay > .zero {
            request.decision = decision
            schedule(.decision(stream: request.stream), after: decision.delay)
        } else {
            carryOut(decision, on: request)
        }
        perform(script.requestCame(), about: request)
    }

    /// Carries out a decision whose delay has passed, unless the stream has been closed meanwhile.
    func decisionIsDue(stream: Int32) {
        guard let request = requests[stream], let decision = request.decision else { return }
        request.decision = nil
        carryOut(decision, on: request)
    }

    private func carryOut(_ decision: Decision, on request: RequestInProgress) {
        if let streams = decision.maxConcurrentStreams { announce(limit.pin(to: streams)) }
        switch decision.fault {
        case .reset(let code, .nothing): reset(request.stream, code)
        case .close: abort()
        case .closeAfterAnswer: deferred.append(.close(byReset: false))
        case .goAway(let goAway): sayGoAway(goAway, on: request)
        case .reset, .silence, .mute, nil: break
        }
        guard let answer = decision.answer else { return }
        if case .reset(let code, let point) = decision.fault {
            if point == .headers { beginResponse(answer, to: request) } else { respond(answer, to: request) }
            deferred.append(.reset(stream: request.stream, code))
        } else {
            respond(answer, to: request)
        }
        announce(limit.answered(status: answer.status, tokenWasGood: decision.tokenWasGood))
        perform(script.answered(), about: request)
    }

    private func respond(_ answer: SimulatorAnswer, to request: RequestInProgress) {
        if http1 != nil { return respondHTTP1(answer) }
        guard let session else { return }
        do {
            try context.writer.write(answer, to: request, in: session)
        } catch {
            // The stream is closed already, or there is no memory: this request has no answer any more.
            reset(request.stream, .internalError)
        }
    }

    /// Sends the headers of an answer whose rest does not come.
    private func beginResponse(_ answer: SimulatorAnswer, to request: RequestInProgress) {
        guard let session else { return }
        // Without success the stream is closed already.
        try? context.writer.writeHeaders(answer, to: request, in: session)
    }

    func reset(_ stream: Int32, _ code: HTTP2ErrorCode) {
        observer.expectReset(of: stream)
        session?.reset(stream: stream, errorCode: code.rawValue)
    }

    /// Announces a new stream limit; `nil` when there is nothing to say.
    func announce(_ streams: Int?) {
        guard let streams, let session else { return }
        session.submitSettings([(id: HTTP2Setting.maxConcurrentStreams, value: UInt32(streams))])
    }
}
