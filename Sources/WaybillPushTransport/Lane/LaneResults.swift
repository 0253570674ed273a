import WaybillThreads

/// What comes back from the connections of a lane.
extension LaneExecutor {
    /// A request was answered: hands the answer out, or sends the request again where the connection was at fault.
    func answered(_ entry: StreamTable.Slot, on connection: ConnectionExecutor) {
        let now = now
        record.answers.count(entry.status)
        connection.meter.record.answers.count(entry.status)
        let reading = read(entry)
        overload.note(reading.answer, at: now)
        let wasProved = connection.machine.isProved
        connection.machine.answered(
            provesCredentials: reading.provesCredentials,
            submittedAt: entry.submittedAt,
            at: now
        )
        if !wasProved, connection.machine.isProved {
            connection.credentials.tokenSource?.accepted(serial: entry.tokenSerial, at: context.now)
        }
        if connection.machine.isProved, let address = connection.address { backoff.proved(address) }
        if !resends(entry, reading, on: connection) {
            finish(
                entry.job,
                .answered(reading.answer),
                latency: now.nanoseconds &- entry.submittedAt.nanoseconds,
                body: entry.body,
                headers: entry.headers
            )
        }
    }

    private func read(_ entry: StreamTable.Slot) -> ReadAnswer {
        // What nearly every answer is; nothing is asked of the service for it.
        if entry.status == 200, entry.headers == nil, entry.body.isEmpty {
            return ReadAnswer(PushAnswer(status: 200), .final, provesCredentials: true)
        }
        let answer = RawAnswer(status: entry.status, body: entry.body, headers: entry.headers)
        return service.read(answer, to: entry.job.id, at: context.now.unixSeconds)
    }

    /// What an answer means for the connection and the token; `false` when the answer is the request's end.
    private func resends(
        _ entry: StreamTable.Slot,
        _ reading: ReadAnswer,
        on connection: ConnectionExecutor
    ) -> Bool {
        // The credentials may have been replaced while the request was under way.
        var hasProspect = connection.generation != generation
        switch reading.verdict {
        case .final:
            return false
        case .throttled(let wait):
            pace?.refused(wait: wait, at: now)
            return false
        case .later(let wait):
            return keeps(entry, reading.answer, for: wait)
        case .reconnect:
            replace(connection, reading.answer.reason ?? "refused")
        case .credentialsRefused:
            guard hasProspect else { return false }
        case .tokenRefused(let refusal):
            if tokenRefused(entry, refusal, reason: reading.answer.reason ?? "refused", on: connection) {
                hasProspect = true
            }
        case .tokenOutdated:
            if tokenOutdated(entry, reason: reading.answer.reason ?? "refused", on: connection) { hasProspect = true }
        }
        return putBack(entry.job, .answered(reading.answer), sentAt: entry.submittedAt) {
            $0.spend(on: reading.verdict, hasProspect: hasProspect)
        }
    }

    /// The most requests of a lane that wait for their time at once.
    static let mostPaused = 1000
    /// Waits of this length and longer are the caller's.
    static let longWait = Duration.seconds(10)

    /// Keeps a request here for the time that its answer asks for.
    ///
    /// - Returns: `false` where the answer is the request's end: the wait is long or would pass a limit of the request's, the
    ///   lane has too many that wait, or its answers in a row ask it to pause.
    private func keeps(_ entry: StreamTable.Slot, _ answer: PushAnswer, for wait: Duration) -> Bool {
        var job = entry.job
        let facts = service.facts(of: job.id)
        let end = now.advanced(by: wait)
        guard keepsAnswered, !isStopping, overload.pause == nil, wait < Self.longWait, queue.paused < Self.mostPaused,
            job.batch.withdrawal == nil, end < waitingLimit.latestEnd(ofArrival: job.batch.received),
            facts.notAfter > context.now.unixSeconds + wait.components.seconds
        else { return false }
        let trail = job.trail ?? ResendTrail(queuedAt: end)
        guard trail.hasRoom, trail.budget.spendWait(of: facts.attemptsLeft) else { return false }
        let last = LastAnswer(
            answer: answer,
            latency: now.nanoseconds &- entry.submittedAt.nanoseconds,
            body: entry.body,
            headers: entry.headers
        )
        trail.note(last, date: context.unixMilliseconds)
        trail.queuedAt = end
        job.trail = trail
        queue.pause(job, until: end)
        record.resent += 1
        return true
    }

    /// The service refused the token of a request: no other request goes out with it for now, nor on this connection,
    /// which may be at fault itself.
    ///
    /// - Returns: whether the request may be taken with a newer token, or with the same on a new connection.
    private func tokenRefused(
        _ entry: StreamTable.Slot,
        _ refusal: TokenRefusal,
        reason: String,
        on connection: ConnectionExecutor
    ) -> Bool {
        replace(connection, reason)
        guard let source = connection.credentials.tokenSource else { return false }
        let prospect = source.refused(
            serial: entry.tokenSerial,
            refusal,
            sentAt: entry.submittedAt,
            at: context.now,
            whenReady: wakeUp
        )
        switch prospect {
        case .successor: return true
        case .none:
            tokens.noteRefusal(service.tokenProblem(reason), at: now)
            return false
        case .secondChance:
            // Only a connection that has proved nothing yet starts with one request.
            for other in connections where other.machine.isProved && other.generation == generation {
                replace(other, reason)
            }
            return true
        }
    }

    /// The service refused the token of a request, and has nothing against the connection.
    ///
    /// - Returns: whether the request may be taken with a newer token.
    private func tokenOutdated(_ entry: StreamTable.Slot, reason: String, on connection: ConnectionExecutor) -> Bool {
        guard let source = connection.credentials.tokenSource else { return false }
        let prospect = source.refused(
            serial: entry.tokenSerial,
            .expired,
            sentAt: entry.submittedAt,
            at: context.now,
            whenReady: wakeUp
        )
        if prospect == .none { tokens.noteRefusal(service.tokenProblem(reason), at: now) }
        return prospect != .none
    }

    /// A request has no answer: sends it again where that is safe or wanted, or hands it out.
    func unanswered(_ entry: StreamTable.Slot, _ end: StreamEnd) {
        let now = now
        let failure = end.failure(wasSent: entry.wasSent)
        var job = entry.job
        // It never left: that was no attempt.
        if !entry.wasSent { job.attempts -= 1 }
        let resendsUnknown = service.facts(of: job.id).resendsUnknown
        let patience = settings.deadlines.unreachable
        let isBack = putBack(job, .failed(failure), sentAt: entry.wasSent ? entry.submittedAt : nil) {
            $0.spend(
                on: failure,
                isOfStream: end.isOfStream,
                resendsUnknown: resendsUnknown,
                at: now,
                patience: patience
            )
        }
        if !isBack {
            let latency = entry.wasSent ? now.nanoseconds &- entry.submittedAt.nanoseconds : 0
            finish(job, .failed(failure), latency: latency)
        }
    }

    /// Puts a request at the front of the queue if its budget allows, and it is not too late for it.
    ///
    /// One that was taken back meanwhile ends here, as if it had been there already.
    ///
    /// - Parameters:
    ///   - original: the request.
    ///   - result: how its attempt ended.
    ///   - sentAt: when the attempt began; `nil` for one that never left.
    ///   - spend: asks its budget.
    /// - Returns: `false` when nothing was done.
    private func putBack(
        _ original: RequestJob,
        _ result: PushResult,
        sentAt: MonotonicTime?,
        spend: (inout ResendBudget) -> ResendBudget.Decision
    ) -> Bool {
        guard !isStopping, now < waitingLimit.latestEnd(ofArrival: original.batch.received),
            service.facts(of: original.id).notAfter > context.now.unixSeconds
        else { return false }
        var job = original
        let trail = job.trail ?? ResendTrail(queuedAt: now)
        let decision = spend(&trail.budget)
        guard decision != .never else { return false }
        if let sentAt {
            let latency = now.nanoseconds &- sentAt.nanoseconds
            trail.note(PushAttempt(date: context.unixMilliseconds, result: result, latency: latency))
        }
        if case .failed(.unknown) = result { trail.mayHaveBeenTaken = true }
        job.trail = trail
        if let cause = job.batch.withdrawal {
            finish(job, .failed(.notSent(cause)))
            return true
        }
        if case .after(let pause) = decision {
            trail.queuedAt = now.advanced(by: pause)
            queue.pause(job, until: trail.queuedAt)
        } else {
            trail.queuedAt = now
            queue.prepend(job)
        }
        record.resent += 1
        return true
    }

    func requestTimedOut() {
        record.timeouts += 1
    }
}
