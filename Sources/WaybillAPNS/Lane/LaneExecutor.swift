import TLS
import Threads

/// One lane of a driver: what waits, the connections that share it, and what became of each request.
///
/// Belongs to the driver's thread. A request leaves through ``finish(_:_:latency:)`` and nowhere else.
final class LaneExecutor {
    let configuration: APNSConfiguration
    let tlsContext: TLSContext
    let context: DriverContext
    var queue = RequestQueue()
    var plan: ConnectionPlan
    var headers: RequestHeaders
    var snapshot: APNSLaneSnapshot
    var connections: [ConnectionExecutor] = []
    /// What ended in this turn of the loop.
    var outcomes: [APNSOutcome] = []
    /// The driver's grace is over: nothing is sent again.
    var isStopping = false

    /// The last time the lane got a request onto a stream, or had nothing to send.
    private var lastProgress: MonotonicTime
    private var rotation = 0
    private var lastCredentialsError: String?

    init(_ seed: LaneSeed, context: DriverContext) {
        configuration = seed.configuration
        tlsContext = seed.tlsContext
        self.context = context
        plan = ConnectionPlan(
            limit: seed.configuration.connections,
            spacing: seed.configuration.connectionSpacing,
            delays: seed.configuration.reconnect
        )
        headers = RequestHeaders(authority: seed.configuration.endpoint.authority)
        snapshot = APNSLaneSnapshot(name: seed.configuration.name)
        lastProgress = context.now.monotonic
    }

    var now: MonotonicTime { context.now.monotonic }

    /// Whether nothing waits and nothing is open.
    var isIdle: Bool { queue.isEmpty && connections.allSatisfy { $0.streams.count == 0 } }

    // MARK: A turn of the loop

    func receive(_ batches: [APNSRequestBatch]) {
        if queue.isEmpty { lastProgress = now }
        for batch in batches { queue.append(BatchInHand(batch, received: now)) }
    }

    /// Everything that a turn does beyond reading: deadlines, new requests, new connections, writing.
    func advance() {
        for connection in connections { connection.checkDeadlines() }
        expireWaiting()
        fill()
        openConnections()
        for connection in connections {
            connection.performPending()
            if connection.needsFlush { connection.flush() }
        }
    }

    /// When the lane must be looked at again, if nothing happens before.
    var nextDeadline: MonotonicTime? {
        var earliest = waitingDeadline
        func consider(_ time: MonotonicTime?) {
            if let time { earliest = min(earliest ?? time, time) }
        }
        for connection in connections { consider(connection.nextDeadline) }
        consider(plan.nextOpening(situation, at: now))
        return earliest
    }

    // MARK: Sending

    /// Spreads what waits over the connections, in equal shares as far as each has room.
    private func fill() {
        guard !queue.isEmpty else { return }
        var usable = 0
        for connection in connections where connection.machine.room > 0 { usable += 1 }
        guard usable > 0, let token = currentToken() else { return }
        while usable > 0, !queue.isEmpty {
            let share = (queue.count + usable - 1) / usable
            usable = 0
            for connection in connections where connection.machine.room > 0 {
                send(upTo: min(share, connection.machine.room), on: connection, token: token)
                if connection.machine.room > 0 { usable += 1 }
            }
        }
    }

    private func send(upTo limit: Int, on connection: ConnectionExecutor, token: TokenInUse) {
        for _ in 0..<limit {
            guard var job = queue.popFirst() else { return }
            if job.request.expiration.hasPassed(at: context.now.unixSeconds) {
                finish(job, .failed(.notSent("expired")))
                continue
            }
            do {
                try headers.write(job.request, authorization: token.authorization)
            } catch {
                finish(job, .failed(.notSent(error.rawValue)))
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
        guard let source = configuration.credentials.tokenSource else { return TokenInUse(serial: 0) }
        do {
            let token = try source.current(at: context.now)
            lastCredentialsError = nil
            return TokenInUse(authorization: token.authorization, serial: token.serial)
        } catch {
            if lastCredentialsError != error.text {
                lastCredentialsError = error.text
                context.observer.credentialsFailed(lane: configuration.name, error: error.text)
            }
            return nil
        }
    }

    // MARK: Waiting

    /// When the longest wait is over: counted from the request's arrival, or from the lane's last progress.
    private var waitingDeadline: MonotonicTime? {
        guard let oldest = queue.oldestWait else { return nil }
        return max(oldest, lastProgress).advanced(by: configuration.deadlines.unreachable)
    }

    private func expireWaiting() {
        guard let deadline = waitingDeadline, deadline <= now else { return }
        let timeout = configuration.deadlines.unreachable
        let now = now
        for job in queue.removeAll(where: { $0.advanced(by: timeout) <= now }) {
            finish(job, .failed(.notSent("unreachable")))
        }
    }

    // MARK: Connections

    private var situation: ConnectionPlan.Situation {
        var situation = ConnectionPlan.Situation(waiting: queue.count, open: 0, pending: 0)
        for connection in connections {
            if connection.machine.isPending { situation.pending += 1 }
            if connection.machine.phase == .open { situation.open += 1 }
        }
        return situation
    }

    private func openConnections() {
        guard let time = plan.nextOpening(situation, at: now), time <= now else { return }
        plan.opened(at: now)
        let connection = ConnectionExecutor(lane: self, context: context)
        connections.append(connection)
        context.add(connection)
        connection.start()
    }

    /// The addresses in the order to try, each connection beginning with another one.
    func rotated(_ addresses: [SocketAddress]) -> [SocketAddress] {
        guard addresses.count > 1 else { return addresses }
        let first = rotation % addresses.count
        rotation += 1
        return Array(addresses[first...] + addresses[..<first])
    }

    // MARK: The end

    /// Ends everything: what is open as unknown, what waits as not sent.
    func stop() {
        isStopping = true
        for connection in connections { connection.abandon() }
        endWaiting("closed")
    }

    /// Hands out everything that waits for a stream, as not sent.
    func endWaiting(_ reason: String) {
        while let job = queue.popFirst() { finish(job, .failed(.notSent(reason))) }
    }

    /// Hands a request out.
    func finish(_ job: RequestJob, _ result: APNSResult, latency: UInt64 = 0) {
        let outcome = job.outcome(result, latency: latency)
        if case .failed(let failure) = outcome.result {
            switch failure {
            case .notSent: snapshot.notSent += 1
            case .unknown: snapshot.unknown += 1
            }
        }
        outcomes.append(outcome)
    }
}
