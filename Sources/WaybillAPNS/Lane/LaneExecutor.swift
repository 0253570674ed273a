import WaybillTLS
import WaybillThreads

/// One lane of a driver: what waits, the connections that share it, and what became of each request.
///
/// Belongs to the driver's thread. A request leaves through ``finish(_:_:latency:details:)`` and nowhere else. What
/// connections bring back is in `LaneResults.swift`, how they are opened and closed in `LaneConnections.swift`.
final class LaneExecutor {
    let configuration: APNSConfiguration
    let sourceAddress: SocketAddress?
    let context: DriverContext
    var access: LaneAccess
    var queue = RequestQueue()
    var plan: ConnectionPlan
    var backoff: AddressBackoff
    let headers: RequestHeaders
    let waitingLimit: WaitingLimit
    var snapshot: APNSLaneSnapshot
    var connections: [ConnectionExecutor] = []
    /// What ended in this turn of the loop.
    var outcomes: [APNSOutcome] = []
    /// A provider token is being minted, and ``wakeUp`` will be called.
    var isAwaitingToken = false
    /// The driver's grace is over: nothing is sent again.
    var isStopping = false

    /// The last time the lane got a request onto a stream, or had nothing to send.
    private var lastProgress: MonotonicTime
    /// When to ask for a provider token again, after there was none.
    private var tokenRetry: MonotonicTime?
    /// What the observer heard last of a key that cannot sign.
    private var lastCredentialsError: String?
    /// Why the last turn that could have sent had no provider token.
    var tokenProblem: String?
    /// How the last connection failed, and when.
    private var connectionFailure: (text: String, at: MonotonicTime)?

    /// How soon a source that has no token is asked again, if it does not say.
    private static let tokenRetryPause = Duration.seconds(1)

    init(_ seed: LaneSeed, context: DriverContext) {
        configuration = seed.configuration
        sourceAddress = seed.configuration.sourceAddress.flatMap { SocketAddress.literal($0, port: 0) }
        access = seed.access(generation: 0)
        self.context = context
        plan = ConnectionPlan(limit: seed.configuration.connections, spacing: seed.configuration.connectionSpacing)
        backoff = AddressBackoff(delays: seed.configuration.reconnect)
        headers = RequestHeaders(authority: seed.configuration.endpoint.authority)
        waitingLimit = WaitingLimit(seed.configuration.deadlines)
        snapshot = APNSLaneSnapshot(name: seed.configuration.name)
        lastProgress = context.now.monotonic
    }

    var now: MonotonicTime { context.now.monotonic }

    /// Whether nothing waits and nothing is open.
    var isIdle: Bool { queue.isEmpty && connections.allSatisfy { $0.streams.count == 0 } }

    // MARK: A turn of the loop

    func receive(_ batches: [APNSRequestBatch]) {
        if queue.isEmpty { lastProgress = now }
        for batch in batches { queue.append(PendingBatch(batch, received: now)) }
    }

    /// Everything that a turn does beyond reading: deadlines, new requests, new connections, writing.
    func advance() {
        for connection in connections { connection.checkDeadlines() }
        queue.resume(at: now)
        if let tokenRetry, tokenRetry <= now { self.tokenRetry = nil }
        expireWaiting()
        fill()
        closeSurplus()
        openConnections()
        for connection in connections {
            connection.performPending()
            if connection.needsFlush { connection.flush() }
        }
        let nextBody = queue.nextBody
        for connection in connections { connection.measureStalls(nextBody: nextBody) }
    }

    /// When the lane must be looked at again, if nothing happens before.
    var nextDeadline: MonotonicTime? {
        var earliest = waitingDeadline
        func consider(_ time: MonotonicTime?) {
            if let time { earliest = min(earliest ?? time, time) }
        }
        for connection in connections { consider(connection.nextDeadline) }
        consider(queue.nextResumption)
        consider(nextConnectionChange)
        if queue.ready > 0 { consider(tokenRetry) }
        return earliest
    }

    // MARK: Sending

    /// Spreads what waits over the connections that answer, in equal shares as far as each has room.
    private func fill() {
        guard let size = queue.nextBody else { return }
        let usable = connections.filter {
            $0.access.generation == access.generation && $0.room(forBody: size) > 0 && !isOutpaced($0)
        }
        guard !usable.isEmpty, let token = currentToken() else { return }
        var open = usable.count
        while open > 0 {
            let share = (queue.ready + open - 1) / open
            for connection in usable { send(upTo: share, on: connection, token: token) }
            guard let size = queue.nextBody else { return }
            open = usable.count { $0.room(forBody: size) > 0 }
        }
    }

    private func send(upTo limit: Int, on connection: ConnectionExecutor, token: TokenInUse) {
        for _ in 0..<limit {
            guard let size = queue.nextBody, connection.room(forBody: size) > 0, var job = queue.popFirst() else {
                return
            }
            if job.request.notAfter <= context.now.unixSeconds {
                finish(job, .failed(.notSent(.expired)))
                continue
            }
            do {
                try headers.write(job.request, authorization: token.authorization, names: &connection.names)
            } catch {
                finish(job, .failed(.notSent(.invalid(error))))
                continue
            }
            job.attempts += 1
            guard connection.submit(job, headers, tokenSerial: token.serial) else {
                job.attempts -= 1
                queue.prepend(job)
                return
            }
            snapshot.sent += 1
            lastProgress = now
        }
    }

    private struct TokenInUse {
        var authorization: [UInt8]?
        var serial: Int
    }

    /// The token for the requests of this turn; `nil` when there is none to send with.
    private func currentToken() -> TokenInUse? {
        guard let source = access.tokenSource else { return TokenInUse(serial: 0) }
        guard !isAwaitingToken else { return nil }
        tokenRetry = nil
        tokenProblem = nil
        do {
            guard let token = try source.current(at: context.now, whenReady: wakeUp) else {
                isAwaitingToken = true
                tokenProblem = "the key's signer has not answered yet"
                return nil
            }
            note(source.lastFailure)
            return TokenInUse(authorization: token.authorization, serial: token.serial)
        } catch {
            tokenRetry = source.retryTime ?? now.advanced(by: Self.tokenRetryPause)
            tokenProblem = error.text
            note(error)
            return nil
        }
    }

    /// Has the driver look again; any thread.
    var wakeUp: @Sendable () -> Void {
        let mailbox = context.mailbox
        return { mailbox.send(.wake) }
    }

    /// Tells the observer of a key that cannot sign, once for each error.
    private func note(_ failure: APNSSetupError?) {
        if let failure, failure.text != lastCredentialsError {
            context.observer.credentialsFailed(lane: configuration.name, error: failure.text)
        }
        lastCredentialsError = failure?.text
    }

    // MARK: Waiting

    /// When the first of the waits is over.
    private var waitingDeadline: MonotonicTime? {
        queue.oldestWait.map { waitingLimit.end(of: $0, lastProgress: lastProgress) }
    }

    private func expireWaiting() {
        let now = now
        guard let deadline = waitingDeadline, deadline <= now else { return }
        let (limit, progress) = (waitingLimit, lastProgress)
        let cause = waitingCause
        for job in queue.removeAll(where: { limit.end(of: $0, lastProgress: progress) <= now }) {
            finish(job, .failed(.notSent(cause)))
        }
    }

    /// Why nothing goes out: made once for all requests that end together.
    private var waitingCause: APNSFailureCause {
        if let tokenProblem { return .credentials(tokenProblem) }
        guard let connectionFailure else { return .unreachable() }
        // What failed before an answer came is not what keeps the others waiting.
        let isOver = connections.contains { $0.machine.answering.lastAnswer > connectionFailure.at }
        return .unreachable(isOver ? nil : connectionFailure.text)
    }

    /// A connection failed, or ended before it had carried anything.
    func noteConnectionFailure(_ text: String) {
        connectionFailure = (text, now)
    }

    // MARK: The end

    /// Ends everything: what is open as unknown, what waits as not sent.
    func stop() {
        isStopping = true
        for connection in connections { connection.abandon() }
        endWaiting(.closed)
    }

    /// Hands out what waits for a stream, of some owners or of all, as not sent.
    func endWaiting(_ cause: APNSFailureCause, of owners: [any APNSRequestOwner]? = nil) {
        for job in queue.removeAll(of: owners) { finish(job, .failed(.notSent(cause))) }
    }

    /// Hands a request out.
    func finish(_ job: RequestJob, _ result: APNSResult, latency: UInt64 = 0, details: APNSAnswerDetails? = nil) {
        let outcome = job.outcome(result, latency: latency, details: details)
        if case .failed(let failure) = outcome.result {
            switch failure {
            case .notSent: snapshot.notSent += 1
            case .unknown: snapshot.unknown += 1
            }
        }
        outcomes.append(outcome)
    }
}
