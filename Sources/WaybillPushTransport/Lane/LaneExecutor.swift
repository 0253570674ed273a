import WaybillHTTP2
import WaybillTLS
import WaybillThreads

/// One lane of a driver: what waits, the connections that share it, and what became of each request.
///
/// Belongs to the driver's thread. A request leaves through ``finish(_:_:latency:body:headers:)`` and nowhere else. What
/// connections bring back is in `LaneResults.swift`, how they are opened and closed in `LaneConnections.swift`.
final class LaneExecutor {
    let settings: TransportSettings
    let service: any PushService
    let context: DriverContext
    var credentials: TransportCredentials
    /// Counts the replacements of the credentials.
    var generation = 0
    var queue = LaneQueue()
    var plan: ConnectionPlan
    var backoff: AddressBackoff
    private let head: HTTP2HeaderBlock
    let waitingLimit: WaitingLimit
    var record: LaneRecord
    var connections: [ConnectionExecutor] = []
    var tokens: TokenSupply
    var outage = LaneOutage()
    var overload = OverloadRow()
    /// Whether requests wait here for the time that their answers ask for.
    private(set) var keepsAnswered = true
    /// How many requests may go; `nil` for as many as streams allow.
    var pace: PaceBucket?
    /// Whether nothing but the pace keeps what waits.
    private(set) var isHeldByPace = false
    /// The driver's grace is over: nothing is sent again.
    var isStopping = false

    /// The last time the lane got a request onto a stream, or had nothing to send.
    private var lastProgress: MonotonicTime
    /// How the last connection failed, and when.
    private var connectionFailure: (text: String, kind: PushObstacle.Kind, at: MonotonicTime)?

    init(_ seed: LaneSeed, service: any PushService, context: DriverContext) {
        settings = seed.settings
        credentials = seed.credentials
        tokens = TokenSupply(seed.credentials.tokenSource)
        self.service = service
        self.context = context
        pace = seed.settings.pace.map(PaceBucket.init)
        plan = ConnectionPlan(limit: seed.settings.connections, spacing: seed.settings.connectionSpacing)
        backoff = AddressBackoff(delays: seed.settings.reconnect)
        head = service.head
        waitingLimit = WaitingLimit(seed.settings.deadlines)
        record = LaneRecord(name: seed.settings.name)
        lastProgress = context.now.monotonic
    }

    var now: MonotonicTime { context.now.monotonic }

    /// Whether nothing waits and nothing is open.
    var isIdle: Bool { queue.isEmpty && connections.allSatisfy { $0.streams.count == 0 } }

    // MARK: A turn of the loop

    func receive(_ batch: KeptBatch) {
        if queue.isEmpty { lastProgress = now }
        guard batch.count > 0 else { return service.release(batch: batch.number) }
        queue.append(PendingBatch(batch, received: now))
    }

    /// Goes on reading where the last turn stopped for the sake of the other connections.
    func readOn() {
        for connection in connections where connection.hasMoreInput { connection.read() }
    }

    /// Everything that a turn does beyond reading: deadlines, new requests, new connections, writing.
    func advance() {
        for connection in connections { connection.checkDeadlines() }
        queue.resume(at: now)
        tokens.timePassed(now)
        expireWaiting()
        fill()
        closeSurplus()
        openConnections()
        for connection in connections {
            connection.performPending()
            if connection.needsFlush { connection.flush() }
        }
        let nextBody = nextBody
        for connection in connections { connection.measureStalls(nextBody: nextBody) }
    }

    /// When the lane must be looked at again, if nothing happens before.
    var nextDeadline: MonotonicTime? {
        var earliest = waitingDeadline
        func consider(_ time: MonotonicTime?) {
            if let time { earliest = min(earliest ?? time, time) }
        }
        for connection in connections {
            if connection.hasMoreInput { return now }
            consider(connection.nextDeadline)
        }
        consider(queue.nextResumption)
        consider(nextConnectionChange)
        if queue.ready > 0 {
            consider(tokens.retry)
            if isHeldByPace { consider(pace?.next(at: now, isUrgent: queue.readyUrgent > 0)) }
        }
        return earliest
    }

    // MARK: Sending

    /// The size of the body of the request that comes next; `nil` when none waits.
    private var nextBody: Int? { queue.first.map { service.facts(of: $0).bodySize } }

    /// Spreads what waits over the connections that answer, in equal shares as far as each has room.
    private func fill() {
        guard pace != nil else { return fill(upTo: .max) }
        guard queue.ready > 0 else { return isHeldByPace = false }
        let isUrgentHeld = fillUrgent()
        let (sent, allowance) = spend(pace?.available(at: now) ?? 0)
        isHeldByPace = sent >= allowance && queue.ready > 0 && (isUrgentHeld || queue.readyUrgent == 0)
    }

    /// Sends what is urgent, as far as the whole rate lets it.
    ///
    /// - Returns: whether the rate holds some of it back.
    private func fillUrgent() -> Bool {
        guard queue.readyUrgent > 0 else { return false }
        queue.isLimitedToUrgent = true
        defer { queue.isLimitedToUrgent = false }
        let (sent, allowance) = spend(pace?.available(at: now, isUrgent: true) ?? 0)
        return sent >= allowance && queue.readyUrgent > 0
    }

    /// Sends as many requests as the pace allows.
    private func spend(_ allowance: Int) -> (sent: Int, allowance: Int) {
        let before = record.sent
        if allowance > 0 { fill(upTo: allowance) }
        let sent = record.sent - before
        pace?.spend(sent)
        return (sent, allowance)
    }

    /// - Parameter allowance: how many may go, give or take one for each connection.
    private func fill(upTo allowance: Int) {
        guard let size = nextBody else { return }
        let before = record.sent
        let usable = connections.filter {
            $0.generation == generation && $0.room(forBody: size) > 0 && !isOutpaced($0)
        }
        guard !usable.isEmpty, let credential = credential() else { return }
        var open = usable.count
        while open > 0 {
            let left = min(queue.ready, allowance - (record.sent - before))
            guard left > 0 else { return }
            let share = (left + open - 1) / open
            for connection in usable { send(upTo: share, on: connection, token: credential.token) }
            guard let size = nextBody else { return }
            open = usable.count { $0.room(forBody: size) > 0 }
        }
    }

    private func send(upTo limit: Int, on connection: ConnectionExecutor, token: PushToken?) {
        let isFreshFirst = !connection.machine.isProved
        for _ in 0..<limit {
            guard var job = queue.popFirst(isFreshFirst: isFreshFirst) else { return }
            let facts = service.facts(of: job.id)
            // Mostly there is room: to look at the next request before it is taken would cost each of them a copy of the queue.
            guard connection.room(forBody: facts.bodySize) > 0 else { return queue.prepend(job) }
            if facts.notAfter <= context.now.unixSeconds {
                finish(job, .failed(.notSent(.expired)))
                continue
            }
            let body: ArraySlice<UInt8>
            do {
                body = try service.write(job.id, authorization: token?.authorization, names: &connection.names)
            } catch {
                finish(job, .failed(.notSent(.invalid(error.word))))
                continue
            }
            job.attempts += 1
            guard connection.submit(job, head: head, body: body, tokenSerial: token?.serial ?? 0) else {
                job.attempts -= 1
                queue.prepend(job)
                return
            }
            record.sent += 1
            lastProgress = now
        }
    }

    /// What the requests of this turn go out with; `nil` when there is no token to send with.
    private func credential() -> TokenSupply.Credential? {
        tokens.credential(at: context.now, whenReady: wakeUp) {
            context.observer.credentialsFailed(lane: settings.name, error: $0)
        }
    }

    /// Has the driver look again; any thread.
    var wakeUp: @Sendable () -> Void {
        let notify = context.notify
        return { notify(.tokenReady) }
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
    private var waitingCause: PushFailureCause {
        if let obstacle = tokens.obstacle { return .credentials(obstacle.text) }
        if isHeldByPace { return .unreachable("the lane's pace holds it back") }
        guard let connectionFailure else { return .unreachable(nil) }
        // What failed before an answer came is not what keeps the others waiting.
        let isOver = connections.contains { $0.machine.answering.lastAnswer > connectionFailure.at }
        return isOver ? .unreachable(nil) : .unreachable(connectionFailure.text, connectionFailure.kind)
    }

    /// A connection failed, or ended before it had carried anything.
    func noteConnectionFailure(_ text: String, _ kind: PushObstacle.Kind = .network) {
        connectionFailure = (text, kind, now)
    }

    // MARK: The end

    /// Ends everything: what is open as unknown, what waits as not sent.
    func stop() {
        isStopping = true
        for connection in connections { connection.abandon() }
        endWaiting(.closed)
    }

    /// Hands out what waits for a stream, of some owners or of all, as not sent.
    func endWaiting(_ cause: PushFailureCause, of owners: [any PushRequestOwner]? = nil) {
        let wanted = owners.map { Set($0.map(ObjectIdentifier.init)) }
        endWaiting(cause) { wanted?.contains(ObjectIdentifier($0)) ?? true }
    }

    /// Ends what waits for a stream of every owner of a kind, and what of it would come back to wait for one.
    func endWaiting(_ cause: PushFailureCause, where isMeant: (any PushRequestOwner) -> Bool) {
        for job in queue.removeAll(where: isMeant) { finish(job, .failed(.notSent(cause))) }
        for connection in connections { connection.streams.withdraw(cause) { isMeant($0.owner) } }
    }

    /// Ends the requests that wait for the time that their answers ask for, with these answers; later ones do not wait.
    func endAnswered() {
        keepsAnswered = false
        for job in queue.takeAnswered() { finish(job, .failed(.notSent(.closed))) }
    }

    /// Ends a request.
    func finish(
        _ job: RequestJob,
        _ result: PushResult,
        latency: UInt64 = 0,
        body: [UInt8] = [],
        headers: AnswerHeaders? = nil
    ) {
        let end = job.end(result, latency: latency, body: body, headers: headers)
        if case .failed(let failure) = end.result {
            switch failure {
            case .notSent: record.notSent += 1
            case .unknown: record.unknown += 1
            }
        }
        service.ended(job.id, end)
        job.batch.open -= 1
        if job.batch.open == 0 { service.release(batch: job.batch.number) }
    }
}
