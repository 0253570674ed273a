import WaybillThreads

/// What comes back from the connections of a lane.
extension LaneExecutor {
    /// A request was answered: hands the answer out, or sends the request again where the connection was at fault.
    func answered(_ entry: StreamTable.Slot, on connection: ConnectionExecutor, now: MonotonicTime) {
        snapshot.answers.count(entry.status)
        connection.record.answers.count(entry.status)
        let wasProved = connection.machine.isProved
        connection.machine.answered(status: entry.status, submittedAt: entry.submittedAt, at: now)
        if !wasProved, connection.machine.isProved {
            connection.access.tokenSource?.accepted(serial: entry.tokenSerial, at: context.now)
        }
        if connection.machine.isProved, let address = connection.address { backoff.proved(address) }
        let latency = now.nanoseconds &- entry.submittedAt.nanoseconds
        let details = entry.details
        if entry.status == 200 {
            finish(entry.job, .answered(APNSAnswer(status: 200)), latency: latency, details: details)
            return
        }
        let body = entry.body.withUnsafeBytes(APNSAnswerBody.init)
        // Only a 410 has a timestamp (Apple, "Handling notification responses from APNs").
        let answer = APNSAnswer(
            status: entry.status,
            reason: body.reason,
            timestamp: entry.status == 410 ? body.timestamp : nil,
            retryAfter: entry.headers?.retryAfter(at: context.now.unixSeconds)
        )
        if !resends(entry, answer, on: connection) {
            finish(entry.job, .answered(answer), latency: latency, details: details)
        }
    }

    /// What an answer means for the connection and the token; whether the request was put back to be sent again.
    private func resends(
        _ entry: StreamTable.Slot,
        _ answer: APNSAnswer,
        on connection: ConnectionExecutor
    ) -> Bool {
        let verdict = answer.verdict
        // The credentials may have been replaced while the request was under way.
        var hasProspect = connection.access.generation != access.generation
        switch verdict {
        case .reconnect:
            replace(connection, answer.reason?.rawValue ?? "refused")
        case .providerTokenExpired:
            // pushy found a connection to be stuck after this answer, even with a new token.
            if tokenRefused(entry, .expired, on: connection) { hasProspect = true }
        case .providerTokenThrottled:
            if tokenRefused(entry, .throttled, on: connection) { hasProspect = true }
        case .laneFault where answer.status == 403 && hasProspect:
            break
        default:
            return false
        }
        return putBack(entry.job, .answered(answer)) {
            $0.spend(on: verdict, hasProspect: hasProspect)
        }
    }

    /// APNs refused the provider token of a request: no other request goes out with it for now, nor on this connection.
    ///
    /// - Returns: whether the request may be taken with a newer token, or with the same on a new connection.
    private func tokenRefused(
        _ entry: StreamTable.Slot,
        _ refusal: TokenRefusal,
        on connection: ConnectionExecutor
    ) -> Bool {
        replace(connection, refusal.reason.rawValue)
        guard let source = connection.access.tokenSource else { return false }
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
            // Said at once: what waits may reach its limit before a connection asks for a token again.
            tokenProblem = "APNs refused the provider token: \(refusal.reason.rawValue)"
            return false
        case .secondChance:
            // Only a connection that has proved nothing yet starts with one request.
            for other in connections where other.machine.isProved && other.access.generation == access.generation {
                replace(other, refusal.reason.rawValue)
            }
            return true
        }
    }

    /// A request has no answer: sends it again where that is safe or wanted, or hands it out.
    func unanswered(_ entry: StreamTable.Slot, _ end: StreamEnd, now: MonotonicTime) {
        let failure = end.failure(wasSent: entry.wasSent)
        var job = entry.job
        // It never left: that was no attempt.
        if !entry.wasSent { job.attempts -= 1 }
        let resendsUnknown = job.request.resendsUnknown
        let patience = configuration.deadlines.unreachable
        let isBack = putBack(job, .failed(failure), wasSent: entry.wasSent) {
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
    private func putBack(
        _ original: RequestJob,
        _ result: APNSResult,
        wasSent: Bool = true,
        spend: (inout ResendBudget) -> ResendBudget.Decision
    ) -> Bool {
        guard !isStopping, now < waitingLimit.latestEnd(ofArrival: original.batch.received),
            original.request.notAfter > context.now.unixSeconds
        else { return false }
        var job = original
        let trail = job.trail ?? ResendTrail(queuedAt: now)
        let decision = spend(&trail.budget)
        guard decision != .never else { return false }
        if wasSent { trail.note(APNSAttempt(date: context.unixMilliseconds, result: result)) }
        if case .failed(.unknown) = result { trail.mayHaveBeenTaken = true }
        job.trail = trail
        if case .after(let pause) = decision {
            trail.queuedAt = now.advanced(by: pause)
            queue.pause(job, until: trail.queuedAt)
        } else {
            trail.queuedAt = now
            queue.prepend(job)
        }
        snapshot.resent += 1
        return true
    }

    func requestTimedOut() {
        snapshot.timeouts += 1
    }
}

extension StreamTable.Slot {
    /// What the answer holds besides status and reason; `nil` for most.
    var details: APNSAnswerDetails? {
        let exchange = job.request.exchange
        guard headers != nil || exchange != nil else { return nil }
        return APNSAnswerDetails(
            uniqueID: headers?[.uniqueID],
            requestID: headers?[.requestID],
            channelID: headers?[.channelID],
            body: exchange == nil ? [] : body
        )
    }
}
