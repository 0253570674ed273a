extension FleetHealth {
    /// After so many milliseconds the broker has given up every connection that says nothing, and hands out anew what it had.
    package static let heartbeats: Int64 = 60_000

    /// Whether a dispatcher that says nothing, and has not said that it ends, may still hold messages.
    ///
    /// One that was killed loses its consumers at once, one that was stopped keeps them until its heartbeats are missed: the
    /// broker tells them apart, whoever has been started since.
    ///
    /// - Parameters:
    ///   - lease: its lease.
    ///   - leases: of all processes.
    ///   - queues: those that dispatchers read; `nil` where nobody has asked the broker, or it does not answer.
    ///   - now: milliseconds since 1970.
    /// - Returns: `false` for what is no such dispatcher.
    package static func mayHold(_ lease: Lease, among leases: [Lease], _ queues: [Queue]?, now: Int64) -> Bool {
        func wasHolding(_ lease: Lease) -> Bool { isUnended(lease, now: now) && ProcessReport(lease).held > 0 }
        return wasHolding(lease) && mayRead(lease, among: leases, silent: leases.filter(wasHolding), queues, now: now)
    }

    /// Whether a dispatcher that says nothing, and has not said that it ends, is handed messages still, whatever it held by its
    /// last word.
    ///
    /// - Parameters:
    ///   - lease: its lease.
    ///   - leases: of all processes.
    ///   - queues: those that dispatchers read; `nil` where nobody has asked the broker, or it does not answer.
    ///   - now: milliseconds since 1970.
    /// - Returns: `false` where the broker does not count a consumer of it, and where it must have given up its connection.
    package static func keepsConsumer(_ lease: Lease, among leases: [Lease], _ queues: [Queue]?, now: Int64) -> Bool {
        guard isUnended(lease, now: now), now - lease.seen < heartbeats,
            queues?.contains(where: { reads(lease, $0) }) == true
        else { return false }
        return mayRead(lease, among: leases, silent: leases.filter { isUnended($0, now: now) }, queues, now: now)
    }

    /// A dispatcher that has said nothing for too long, and not that it ends.
    private static func isUnended(_ lease: Lease, now: Int64) -> Bool {
        lease.role == dispatch && !lease.isEnded && isSilent(lease, now: now)
    }

    /// Whether a silent dispatcher may still have its consumers, and what these were handed.
    private static func mayRead(
        _ lease: Lease,
        among leases: [Lease],
        silent: [Lease],
        _ queues: [Queue]?,
        now: Int64
    ) -> Bool {
        let read = (queues ?? []).filter { reads(lease, $0) }
        guard !read.isEmpty else { return now - lease.seen < heartbeats }
        let others = leases.filter { $0.role == dispatch && isPresent($0, now: now) }
        let silent = silent.sorted { ($0.seen, $0.id) > ($1.seen, $1.id) }
        return read.contains { queue in
            let more = queue.consumers - others.reduce(0) { $0 + consumers(of: $1, queue, now: now) }
            // They are of those that were heard of last: of one that was killed before, there is none.
            return more > 0 && silent.lazy.filter { reads($0, queue) }.prefix(more).contains { $0.id == lease.id }
        }
    }

    private static func reads(_ lease: Lease, _ queue: Queue) -> Bool {
        ProcessReport(lease).queues?.contains(queue.name) ?? true
    }

    /// How many consumers of a queue are a dispatcher's that is there.
    private static func consumers(of lease: Lease, _ queue: Queue, now: Int64) -> Int {
        let said = ProcessReport(lease).consumers(of: queue.name)
        // It may have come to the queue since its last word.
        return said == 0 && isYoung(lease, now: now) && reads(lease, queue) ? 1 : said
    }

    /// What a silent dispatcher may hold of what somebody asks for.
    package enum Suspicion: Hashable, Sendable {
        /// Nothing: what it held is delivered again, and what was published since goes elsewhere.
        case none
        /// What it had in hand by its last word.
        case had
        /// What came to it after its last word.
        case gotLater
    }

    /// Whether a silent dispatcher may hold what was published at some time.
    ///
    /// - Parameters:
    ///   - lease: its lease.
    ///   - leases: of all processes.
    ///   - queues: those that dispatchers read; `nil` where nobody has asked the broker, or it does not answer.
    ///   - published: in milliseconds since 1970; `nil` where nobody knows.
    ///   - now: milliseconds since 1970.
    /// - Returns: ``Suspicion/none`` also for what was published after its last word, unless the broker still counts a
    ///   consumer of it.
    package static func suspicion(
        of lease: Lease,
        among leases: [Lease],
        _ queues: [Queue]?,
        published: Int64?,
        now: Int64
    ) -> Suspicion {
        let isLater = published.map { $0 > lease.seen } ?? false
        if !isLater, mayHold(lease, among: leases, queues, now: now) { return .had }
        guard isUnended(lease, now: now), !isLater || queues?.isEmpty == false else { return .none }
        let silent = leases.filter { isUnended($0, now: now) }
        return mayRead(lease, among: leases, silent: silent, queues, now: now) ? .gotLater : .none
    }

    /// Whether no process has been heard of lately, and some have not said that they end: all of them hang, or the store was away.
    ///
    /// - Parameters:
    ///   - leases: of all processes.
    ///   - now: milliseconds since 1970, by the store's clock.
    /// - Returns: `false` also where nothing runs.
    package static func areAllSilent(_ leases: [Lease], now: Int64) -> Bool {
        let unended = leases.filter { !$0.isEnded }
        return !unended.isEmpty && unended.allSatisfy { isSilent($0, now: now) }
    }

    /// What is known of the messages of a dispatcher that is silent.
    enum Hold {
        /// It may have what it had by its last word.
        case may
        /// The same, and it is handed more.
        case goesOn
        /// The broker counts no consumer of it, and has what it held.
        case no
    }

    /// That a process has said nothing for too long.
    ///
    /// - Parameters:
    ///   - lease: its lease.
    ///   - isAlone: whether no other dispatcher is there.
    ///   - hold: what is known of its messages.
    ///   - now: milliseconds since 1970.
    /// - Returns: how people are told.
    static func silence(of lease: Lease, isAlone: Bool, _ hold: Hold, now: Int64) -> Finding {
        let report = ProcessReport(lease)
        var told = lease.role == dispatch && report.held > 0 ? [report.text(of: hold)] : []
        if hold == .goesOn { told.append("the broker counts a consumer of it still, and hands it what is published") }
        return Finding(
            .processSilent,
            lease.role == dispatch && isAlone ? .down : .degraded,
            (["\(name(lease)) has said nothing for \(age(lease.seen, now))"] + told).joined(separator: "; "),
            advice: lease.role == dispatch
                ? FindingAdvice.silentDispatcher(lease)
                : "It hangs, was killed, or cannot reach the store: look at it on \(lease.host), and start it again."
        )
    }
}

extension FindingAdvice {
    /// What to do about a dispatcher that is silent: it may have got messages after its last word, too.
    package static func silentDispatcher(_ lease: Lease) -> String {
        let what = ProcessReport(lease).held > 0 ? "what it holds" : "what it may have got after its last word"
        return
            "It hangs, was stopped or killed, or cannot reach the store. If it still runs on \(lease.host), end it first "
            + "(kill -KILL \(lease.process) there): \(what) is delivered again. "
            + "Then start another one, unless one runs."
    }
}

extension ProcessReport {
    /// Messages that were handed to it and that it has not acknowledged, by its last word.
    package var held: Int { (inFlight?["messages"] ?? 0) + (inFlight?["unstarted"] ?? 0) }

    fileprivate func text(of hold: FleetHealth.Hold) -> String { hold == .no ? takenBackText : heldText }

    /// What one held that is gone, to stand behind that it is silent.
    private var takenBackText: String {
        held == 1
            ? "it had 1 message in hand, which is delivered again"
            : "it had \(held) messages in hand, which are delivered again"
    }

    /// What a silent one may hold, to stand behind that it is silent.
    package var heldText: String {
        held == 1
            ? "it had 1 message in hand, and may hold it still"
            : "it had \(held) messages in hand, and may hold them still"
    }
}
