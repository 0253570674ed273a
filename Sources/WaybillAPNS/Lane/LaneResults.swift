import Threads

/// What comes back from the connections of a lane.
extension LaneExecutor {
    /// A request was answered: hands the answer out, or sends the request again where the connection was at fault.
    func answered(_ entry: StreamTable.Slot, on connection: ConnectionExecutor, now: MonotonicTime) {
        snapshot.answers.count(entry.status)
        connection.machine.answered(status: entry.status)
        if connection.machine.isProved { plan.proved() }
        let latency = now.nanoseconds &- entry.submittedAt.nanoseconds
        if entry.status == 200 {
            finish(entry.job, .answered(APNSAnswer(status: 200)), latency: latency)
            return
        }
        let body = entry.body.withUnsafeBytes(APNSAnswerBody.init)
        // Only a 410 has a timestamp (Apple, "Handling notification responses from APNs").
        let answer = APNSAnswer(
            status: entry.status,
            reason: body.reason,
            timestamp: entry.status == 410 ? body.timestamp : nil
        )
        if !resends(entry, answer, on: connection) { finish(entry.job, .answered(answer), latency: latency) }
    }

    /// What an answer means for the connection and the token; whether the request was put back to be sent again.
    private func resends(
        _ entry: StreamTable.Slot,
        _ answer: APNSAnswer,
        on connection: ConnectionExecutor
    ) -> Bool {
        let verdict = answer.verdict
        var hasNewToken = false
        switch verdict {
        case .reconnect:
            connection.retire(answer.reason?.rawValue ?? "refused")
        case .providerTokenExpired:
            // pushy found a connection to be stuck after this answer, even with a new token.
            hasNewToken =
                configuration.credentials.tokenSource?.refused(serial: entry.tokenSerial, at: context.now) != nil
            connection.retire(APNSReason.expiredProviderToken.rawValue)
        case .providerTokenThrottled:
            configuration.credentials.tokenSource?.holdMinting(at: context.now)
            connection.retire(APNSReason.tooManyProviderTokenUpdates.rawValue)
        default:
            return false
        }
        return putBack(entry.job, .answered(answer)) { $0.spend(on: verdict, hasNewToken: hasNewToken) }
    }

    /// A request has no answer: sends it again where that is safe or wanted, or hands it out.
    func unanswered(_ entry: StreamTable.Slot, _ end: StreamEnd, now: MonotonicTime) {
        let failure = end.failure(wasSent: entry.wasSent)
        var job = entry.job
        // It never left: that was no attempt.
        if !entry.wasSent { job.attempts -= 1 }
        let resendsUnknown = job.request.resendsUnknown
        let isBack = putBack(job, .failed(failure), wasSent: entry.wasSent) {
            $0.spend(on: failure, resendsUnknown: resendsUnknown)
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
        spend: (inout ResendBudget) -> Bool
    ) -> Bool {
        guard !isStopping, !original.request.expiration.hasPassed(at: context.now.unixSeconds) else { return false }
        var job = original
        let trail = job.trail ?? ResendTrail(queuedAt: context.now.monotonic)
        guard spend(&trail.budget) else { return false }
        if wasSent { trail.history.append(APNSAttempt(date: context.unixMilliseconds, result: result)) }
        if case .failed(.unknown) = result { trail.mayHaveBeenTaken = true }
        trail.queuedAt = context.now.monotonic
        job.trail = trail
        queue.prepend(job)
        snapshot.resent += 1
        return true
    }

    func requestTimedOut() {
        snapshot.timeouts += 1
    }

    func connectionOpened(_ connection: ConnectionExecutor) {
        snapshot.connected += 1
        context.observer.connected(
            lane: configuration.name,
            address: connection.address,
            streams: connection.machine.gate.announcedLimit
        )
    }

    func goAway(_ connection: ConnectionExecutor, reason: String) {
        snapshot.goAways += 1
        context.observer.goAway(lane: configuration.name, address: connection.address, reason: reason)
    }

    func connectionEnded(_ connection: ConnectionExecutor, _ end: ConnectionMachine.End) {
        connections.removeAll { $0 === connection }
        context.remove(connection)
        // A connection that never carried anything to an end is no better than one that could not be made: without the
        // growing delay, a server that hangs up at once would be dialled in a loop.
        if !connection.machine.isProved {
            plan.failed(at: context.now.monotonic, jitter: Double.random(in: 0...1))
        }
        switch end {
        case .failed(let error):
            snapshot.connectionFailures += 1
            context.observer.connectionFailed(lane: configuration.name, address: connection.address, error: error)
        case .finished(let reason):
            context.observer.closed(lane: configuration.name, address: connection.address, reason: reason)
        }
    }

    /// Brings the gauges up to date.
    func refreshedSnapshot() -> APNSLaneSnapshot {
        var open = 0
        var pending = 0
        var draining = 0
        var streams = 0
        for connection in connections {
            if connection.machine.phase == .open { open += 1 }
            if connection.machine.isPending { pending += 1 }
            if connection.machine.isDraining { draining += 1 }
            streams += connection.streams.count
        }
        snapshot.connectionsOpen = open
        snapshot.connectionsPending = pending
        snapshot.connectionsDraining = draining
        snapshot.streamsOpen = streams
        snapshot.waiting = queue.count
        return snapshot
    }
}
