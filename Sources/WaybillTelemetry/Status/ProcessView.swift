import WaybillEncoding
package import WaybillThreads

/// One process of Waybill as it is seen from outside: its role, its workers, and what they have counted.
///
/// During a reload two workers are at work; a worker that has ended leaves its counters behind, so that they only grow.
package final class ProcessView: Sendable {
    /// Who it is.
    package struct Identity: Sendable {
        /// The command, such as `dispatch`.
        package let role: String
        package let version: String
        package let host: String
        package let process: Int32
        /// Milliseconds since 1970.
        package let started: Int64

        package init(role: String, version: String, host: String, process: Int32, started: Int64) {
            self.role = role
            self.version = version
            self.host = host
            self.process = process
            self.started = started
        }
    }

    private struct Workers {
        /// Oldest first.
        var active: [(id: Int, work: any ObservedWork)] = []
        var ended = MetricsPage()
        var endedTotals: [String: Int] = [:]
        var rates = RateMeter()
        var isStopping = false
        var stopObservers: [@Sendable () -> Void] = []
        /// Those that have been told to finish.
        var finishing: Set<Int> = []
        var isReloadAskedAgain = false
        var refusedReload: RefusedReload?
    }

    package let identity: Identity
    private let workers = Guarded(Workers())

    /// A loop that is busy with one thing for longer than this hangs: no call to a server may take as long.
    package static let longestTurn = Duration.seconds(60)

    package init(_ identity: Identity) {
        self.identity = identity
    }

    // MARK: - Workers

    /// A worker has been started; of several the last one counts as the present one.
    package func began(_ id: Int, _ work: any ObservedWork) {
        workers.withLock { $0.active.append((id, work)) }
    }

    /// A worker has ended.
    package func ended(_ id: Int) {
        workers.withLock { workers in
            for worker in workers.active where worker.id == id {
                var page = MetricsPage()
                worker.work.measure(into: &page)
                workers.ended.addCounters(of: page)
                for total in worker.work.status().totals {
                    workers.endedTotals[total.name, default: 0] += total.count
                }
            }
            workers.active.removeAll { $0.id == id }
            workers.finishing.remove(id)
        }
    }

    /// A worker has been told to finish what it has.
    package func finishes(_ id: Int) { workers.withLock { _ = $0.finishing.insert(id) } }

    /// Whether a reload is to follow the one that is under way.
    package func reloadIsAskedAgain(_ isAsked: Bool) { workers.withLock { $0.isReloadAskedAgain = isAsked } }

    /// A reload was refused.
    ///
    /// - Parameters:
    ///   - reason: what cannot be used of the configuration, in one line, without secrets.
    ///   - now: milliseconds since 1970.
    package func reloadIsRefused(_ reason: String, now: Int64 = WallClock.milliseconds()) {
        workers.withLock { workers in
            let since = workers.refusedReload?.since ?? now
            workers.refusedReload = RefusedReload(reason: reason, since: since)
        }
    }

    /// The configuration that was read last is in force.
    package func reloadIsDone() { workers.withLock { $0.refusedReload = nil } }

    private var refusedReload: RefusedReload? { workers.withLock { $0.refusedReload } }

    /// What a reload that is under way waits for, in one line; `nil` while there is none.
    package var reload: String? {
        let (active, finishing, isAskedAgain) = workers.withLock { ($0.active, $0.finishing, $0.isReloadAskedAgain) }
        // At most two are at work, and the older one has been replaced if it has been told to finish.
        guard !isStopping, active.count > 1 else { return nil }
        let old = active[0]
        let progress = ReloadProgress(
            finishing: finishing.contains(old.id) ? old.work.status() : nil,
            isAskedAgain: isAskedAgain
        )
        return progress.text
    }

    /// An end has been asked for: what is in flight is finished.
    ///
    /// From now on the process is not ready.
    ///
    /// *Thread:* any; those who wanted to hear of it do so on this one, each once.
    package func stops() {
        let observers = workers.withLock { workers in
            workers.isStopping = true
            defer { workers.stopObservers = [] }
            return workers.stopObservers
        }
        for observer in observers { observer() }
    }

    /// Wants to hear of it when an end is asked for; at once where that has happened.
    ///
    /// - Parameter act: must not block: the work is told to end after it.
    package func whenStopping(_ act: @escaping @Sendable () -> Void) {
        let isLate = workers.withLock { workers in
            if !workers.isStopping { workers.stopObservers.append(act) }
            return workers.isStopping
        }
        if isLate { act() }
    }

    package var isStopping: Bool { workers.withLock { $0.isStopping } }

    private var active: [any ObservedWork] { workers.withLock { $0.active.map(\.work) } }

    // MARK: - What is seen

    /// Threads that hang, each with how long it has been at the same thing.
    package func stuckLoops(now: MonotonicTime = .now()) -> [(name: String, busy: Duration)] {
        busyLoops(now: now).filter { $0.busy > Self.longestTurn }
    }

    /// Threads that have been at the same thing for longer than they should: those that hang, and those that may.
    private func busyLoops(now: MonotonicTime = .now()) -> [(name: String, busy: Duration)] {
        active.flatMap(\.loops).compactMap { loop in
            guard let busy = loop.busy(now: now), busy > min(loop.patience, Self.longestTurn) else { return nil }
            return (loop.name, busy)
        }
    }

    /// What the present worker needs; empty while there is none.
    package var checks: [HealthCheck] { active.last?.status().checks ?? [] }

    /// Whether the role does its work: there is a worker, and it has all that it needs.
    package var isReady: Bool {
        guard !isStopping else { return false }
        let checks = checks
        return !checks.isEmpty && checks.allSatisfy(\.isSound)
    }

    /// One sentence on how things stand.
    package var summary: String {
        if isStopping { return "stopping: finishing what is in flight" }
        let failing = checks.filter { !$0.isSound }
        guard !failing.isEmpty else {
            if let reload { return "working; \(reload)" }
            if let refusedReload { return "working; a reload was refused: \(refusedReload.reason)" }
            return active.isEmpty ? "starting" : "working"
        }
        return "waiting: " + failing.map { "\($0.name): \($0.cause ?? "")" }.joined(separator: "; ")
    }

    /// What has been done since the start, by what came of it, ended workers included.
    private var totals: [String: Int] {
        workers.withLock { workers in
            workers.active.reduce(into: workers.endedTotals) { totals, worker in
                for total in worker.work.status().totals { totals[total.name, default: 0] += total.count }
            }
        }
    }

    /// Notes the totals, for the rates; to be called every few seconds.
    package func sample(now: MonotonicTime = .now()) {
        let totals = totals
        workers.withLock { $0.rates.take(totals, now: now) }
    }

    /// All that is measured.
    package func metrics() -> MetricsPage {
        let (active, ended) = workers.withLock { ($0.active.map(\.work), $0.ended) }
        var page = MetricsPage()
        page.add(Self.buildInfo, 1, ["version": identity.version, "role": identity.role])
        page.add(Self.startTime, Double(identity.started) / 1000)
        for check in checks { page.add(Self.conditionUp, check.isSound ? 1 : 0, ["condition": check.name]) }
        page.add(Self.ready, isReady ? 1 : 0)
        page.add(Self.stuck, stuckLoops().count)
        page.add(Self.reloadFailed, refusedReload == nil ? 0 : 1)
        for work in active { work.measure(into: &page) }
        page.addCounters(of: ended)
        return page
    }

    /// What the role needs, and whether it is there, as JSON: what `/ready` answers.
    package func readinessJSON() -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.name("ready")
        json.element(isReady)
        if isStopping { json.memberTrue("stopping") }
        json.beginArray("checks")
        for check in checks { check.write(to: &json) }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    /// What the present worker says of itself, and what an older one still has in hand.
    private var status: WorkStatus {
        let all = active.map { $0.status() }
        guard var status = all.last else { return WorkStatus() }
        for older in all.dropLast() { status.add(inHandOf: older) }
        return status
    }

    /// The state as JSON: what `/status` answers.
    package func statusJSON() -> [UInt8] {
        let status = status
        var json = JSONWriter(capacity: 2048)
        json.beginObject()
        json.member("role", identity.role)
        json.member("version", identity.version)
        json.member("host", identity.host)
        json.member("pid", identity.process)
        json.member("since", TimeText.text(milliseconds: identity.started))
        json.name("ready")
        json.element(isReady)
        if isStopping { json.memberTrue("stopping") }
        if let reload { json.member("reload", lineSafe: reload) }
        json.beginArray("checks")
        for check in status.checks { check.write(to: &json) }
        json.endArray()
        json.member("queues", status.queues)
        if !status.consumers.isEmpty {
            json.beginObject("consumers")
            for queue in status.consumers {
                json.name(queue.queue)
                json.element(queue.count)
            }
            json.endObject()
        }
        json.beginObject("in_flight")
        for part in status.inFlight {
            json.name(part.name)
            json.element(part.count)
        }
        json.endObject()
        if !status.takenUpTo.isEmpty {
            json.beginObject("taken_up_to")
            for queue in status.takenUpTo {
                json.name(queue.queue)
                json.element(TimeText.text(milliseconds: queue.time))
            }
            json.endObject()
        }
        write("totals", totals, to: &json) { $0.element($1) }
        json.beginObject("rates")
        let rates = workers.withLock { $0.rates }
        for (period, seconds) in [("1m", 60), ("15m", 900)] {
            json.name(period)
            let rates = rates.rates(over: .seconds(seconds)).mapValues { ($0 * 100).rounded() / 100 }
            write(nil, rates, to: &json) { $0.element($1) }
        }
        json.endObject()
        json.beginArray("lanes")
        for lane in status.lanes { lane.write(to: &json) }
        json.endArray()
        json.beginArray("stuck")
        for loop in busyLoops() {
            json.beginObject()
            json.member("thread", loop.name)
            json.member("busy_seconds", Int(loop.busy / .seconds(1)))
            json.endObject()
        }
        json.endArray()
        json.beginArray("troubles")
        for trouble in status.troubles { trouble.write(to: &json) }
        refusedReload?.trouble(now: WallClock.milliseconds()).write(to: &json)
        json.endArray()
        json.beginArray("needs")
        for need in status.needs { json.element(lineSafe: need) }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    private func write<Number>(
        _ name: StaticString?,
        _ numbers: [String: Number],
        to json: inout JSONWriter,
        _ write: (inout JSONWriter, Number) -> Void
    ) {
        json.beginObject(name)
        for (name, number) in numbers.sorted(by: { $0.key < $1.key }) {
            json.name(name)
            write(&json, number)
        }
        json.endObject()
    }

    // MARK: - What every process measures

    private static let buildInfo = Metric("waybill_build_info", .gauge, "1; the labels say what runs.")
    private static let startTime = Metric(
        "waybill_start_time_seconds",
        .gauge,
        "When the process began, in seconds since 1970."
    )
    private static let ready = Metric("waybill_ready", .gauge, "1 while the role has all that it needs.")
    private static let stuck = Metric(
        "waybill_stuck_threads",
        .gauge,
        "Threads that have been at the same thing for more than a minute."
    )
    private static let reloadFailed = Metric(
        "waybill_configuration_reload_failed",
        .gauge,
        "1 while the last reload of the configuration was refused, and the one before it stays in force."
    )
    private static let conditionUp = Metric(
        "waybill_condition_up",
        .gauge,
        "1 while something is there that the role needs, by what it is."
    )
}
