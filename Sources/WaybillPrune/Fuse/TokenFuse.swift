import Logging
import WaybillCore
import WaybillDeliveryLog
import WaybillDeviceRegistry
import WaybillMessages
import WaybillMongo
import WaybillProviders
import WaybillTelemetry
import WaybillThreads

/// Stands between the events and the registry: carries them out, or holds them where their fuse has blown.
///
/// Input: events that the delivery log bears out, its statistics, and what people decide. Output: the registry, the events as they stand in
/// the store, and the fuses. Invariants, whichever of several processes dies when: an event is in the store before anything is done
/// about it; what was carried out since a fuse's storm began is taken back when it blows; what a person has decided is
/// followed to the end. Failure: an error leaves everything so that the same can be done again.
///
/// *Thread:* `wb-prune`.
final class TokenFuse {
    /// What became of events.
    struct Changes {
        var registry = RegistryChanges()
        var held = 0
        var discarded = 0
    }

    let pool: MongoPool
    let database: String
    let policy: FusePolicy
    let registry: DeviceRegistryWriter
    let evidence: EventEvidence
    let control: PruneControl
    let logger: Logger
    private var watch = FuseWatch()
    private var usual: [String: UsualShares] = [:]
    private var nextRound = MonotonicTime.now()
    private var nextRecollection = MonotonicTime.now()
    private var nextCount = MonotonicTime.now()
    /// Events that were put aside here since it was counted last.
    private var heldSinceCount = 0

    /// What a lane's answers usually are, by app, and when it was asked for.
    private struct UsualShares {
        var hours: [String: [FuseRule.Minute]]
        var until: Int64
    }

    /// How often it is looked for what others have done, and for what is left to do.
    private static let interval = Duration.seconds(2)
    /// How often it is looked for what others, or this process before its end, have carried out and not looked at since.
    private static let recollection = Duration.seconds(60)
    /// How often it is counted what is held.
    private static let counting = Duration.seconds(10)
    /// How much is known of what is usual, in minutes.
    private static let history: Int64 = 7 * 1440
    /// Events that are dealt with together.
    private static let pageSize = 500
    /// How many pages of what a person has decided are dealt with before new events have their turn.
    private static let pagesAtOnce = 4

    init(
        pool: MongoPool,
        database: String,
        policy: FusePolicy,
        registry: DeviceRegistryWriter,
        evidence: EventEvidence,
        control: PruneControl,
        logger: Logger
    ) {
        self.pool = pool
        self.database = database
        self.policy = policy
        self.registry = registry
        self.evidence = evidence
        self.control = control
        self.logger = logger
    }

    /// Asks everything that it needs a question: who may not read it hears of it now, not with the first event.
    func probe() throws(MongoError) {
        try pool.withClient { (client) throws(MongoError) in
            _ = try FuseStore(client: client, database: database).fuses()
            _ = try TokenEvents(client: client, database: database).has(FuseName(lane: "", app: ""), .held)
            let now = WallClock.milliseconds() / FuseRule.Minute.milliseconds
            _ = try LaneAnswers(client: client, database: database, lane: "").byApp(now..<now + 1, step: 1)
        }
    }

    // MARK: - Events

    /// Carries events out, or holds them.
    ///
    /// - Parameter events: as the log tells them.
    /// - Returns: what became of them, all durable; `nil` if there is no room for what would have to be held.
    /// - Throws: what the store says; the same events may be dealt with again.
    func carryOut(_ events: [InvalidTokenEvent]) throws(MongoError) -> Changes? {
        guard !events.isEmpty else { return Changes() }
        let known = policy.isOn ? try registry.areKnown(events) : []
        return try pool.withClient { (client) throws(MongoError) in
            guard policy.isOn else { return Changes(registry: try registry.apply(events)) }
            let work = Work(client, database)
            for event in events { watch.note(FuseName(event), minute: event.observedAt / FuseRule.Minute.milliseconds) }
            try look(work)
            let fuses = try work.fuses()
            var parts: [Fuse.Fate: [Item]] = [:]
            for (event, isKnown) in zip(events, known) {
                let name = FuseName(event)
                let fate = fuses[name]?.fate(observedAt: event.observedAt) ?? .carriedOut
                parts[fate, default: []].append(Item(event, name, isKnown: isKnown))
            }
            if let held = parts[.held], held.count > room {
                // What is known of how many there are is of a while ago.
                try count(fuses, work)
                guard held.count <= room else { return nil }
            }
            var changes = Changes()
            try hold(parts[.held] ?? [], as: .held, work, &changes)
            try hold(parts[.discarded] ?? [], as: .discarded, work, &changes)
            try apply(parts[.carriedOut] ?? [], work, &changes)
            return changes
        }
    }

    private struct Item {
        let event: InvalidTokenEvent
        let entry: TokenEvents.Entry

        init(_ event: InvalidTokenEvent, _ name: FuseName, isKnown: Bool) {
            self.event = event
            entry = TokenEvents.Entry(
                id: TokenEvents.id(event),
                name: name,
                at: event.observedAt,
                event: String(decoding: event.encoded(), as: UTF8.self),
                isKnown: isKnown
            )
        }
    }

    /// What is needed in one go.
    private struct Work {
        let client: MongoClient
        let database: String
        let store: FuseStore
        let events: TokenEvents
        let now = WallClock.milliseconds()

        init(_ client: MongoClient, _ database: String) {
            self.client = client
            self.database = database
            store = FuseStore(client: client, database: database)
            events = TokenEvents(client: client, database: database)
        }

        func fuses() throws(MongoError) -> [FuseName: Fuse] {
            Dictionary(try store.fuses().map { ($0.name, $0) }) { one, _ in one }
        }
    }

    /// Puts events aside; what was carried out of them before a crash is taken back.
    private func hold(
        _ items: [Item],
        as state: TokenEvents.State,
        _ work: Work,
        _ changes: inout Changes
    ) throws(MongoError) {
        guard !items.isEmpty else { return }
        let states = try work.events.put(items.map(\.entry), state, now: work.now)
        // Also of those that were marked before: who has carried them out may have died after somebody else had marked them.
        let own = items.filter { [state, .applied].contains(states[$0.entry.id]) }
        try takeBack(own.map { ($0.event, $0.entry) }, as: state, work)
        if state == .held {
            changes.held += own.count
            heldSinceCount += own.count
        } else {
            changes.discarded += own.count
        }
        changes.registry.already += items.count - own.count
    }

    private func apply(_ items: [Item], _ work: Work, _ changes: inout Changes) throws(MongoError) {
        guard !items.isEmpty else { return }
        let states = try work.events.put(items.map(\.entry), .applied, now: work.now)
        let own = items.filter { states[$0.entry.id] == .applied }
        changes.registry.already += items.count - own.count
        changes.registry.add(try registry.apply(own.map(\.event)))
        // A fuse may have blown meanwhile, and whoever has blown it may not have seen these.
        let fuses = try work.fuses()
        var late: [Fuse.Fate: [Item]] = [:]
        for item in own {
            let fate = fuses[item.entry.name]?.fate(observedAt: item.entry.at) ?? .carriedOut
            late[fate, default: []].append(item)
        }
        for (fate, state) in [(Fuse.Fate.held, TokenEvents.State.held), (.discarded, .discarded)] {
            try takeBack((late[fate] ?? []).map { ($0.event, $0.entry) }, as: state, work)
        }
    }

    /// Undoes what was carried out, and marks it: in this order, so that what is marked is undone.
    private func takeBack(
        _ events: [(event: InvalidTokenEvent, entry: TokenEvents.Entry)],
        as state: TokenEvents.State,
        _ work: Work
    ) throws(MongoError) {
        guard !events.isEmpty else { return }
        let devices = try registry.takeBack(events.map { ($0.event, $0.entry.isKnown) }, now: work.now)
        _ = try work.events.mark(events.map(\.entry.id), from: .applied, state, now: work.now)
        var counts = PruneCounts()
        counts.takenBack = devices
        control.add(counts)
    }

    /// Shows how many events are held.
    private func count(_ fuses: [FuseName: Fuse], _ work: Work) throws(MongoError) {
        var views: [FuseView] = []
        for fuse in fuses.values {
            let held = try work.events.count(fuse.name, .held)
            views.append(FuseView(name: fuse.name, isBlown: fuse.isBlown, held: held))
        }
        control.fuses = views
        heldSinceCount = 0
    }

    /// For how many events there is room, as far as is known.
    private var room: Int { policy.mostHeld - control.fuses.reduce(0) { $0 + $1.held } - heldSinceCount }

    // MARK: - Looking

    /// Looks at the fuses whose turn it is, and blows those that must.
    private func look(_ work: Work) throws(MongoError) {
        let due = watch.due(now: work.now)
        guard policy.isOn, !due.isEmpty else { return }
        let fuses = try work.fuses()
        for (lane, names) in Dictionary(grouping: due.keys, by: \.lane) {
            let ends = names.reduce(into: Set<Int64>()) { $0.formUnion(due[$1] ?? []) }
            guard let first = ends.min(), let last = ends.max() else { continue }
            let answers = LaneAnswers(client: work.client, database: database, lane: lane)
            let counted = try answers.byApp(first - policy.minutes + 1..<last + 1, step: 1)
            for name in names {
                let minutes = due[name] ?? []
                try judge(
                    name,
                    minutes,
                    counted.steps[name.app] ?? [],
                    counted.wholeHoursUntil,
                    fuses[name],
                    answers,
                    work
                )
                watch.looked(name, minutes, now: work.now)
            }
        }
    }

    private func judge(
        _ name: FuseName,
        _ ends: Set<Int64>,
        _ minutes: [FuseRule.Minute],
        _ wholeHoursUntil: Int64?,
        _ fuse: Fuse?,
        _ answers: LaneAnswers,
        _ work: Work
    ) throws(MongoError) {
        guard fuse?.isBlown != true else { return }
        // What a person has decided is followed to its end first.
        if fuse != nil, try work.events.has(name, .held) { return }
        // What is old is known by the hour alone, and stands at its beginning.
        let ends = Set(ends.map { end in wholeHoursUntil.map { end < $0 } == true ? end / 60 * 60 : end })
        let tolerated = fuse?.toleratedShare(now: work.now)
        let known = try usualShare(name, fuse, before: ends.min() ?? 0, answers)
        let finding = FuseRule.judge(
            minutes,
            ends: ends,
            armed: fuse?.armed ?? 0,
            usual: tolerated.map { max($0, known ?? 0) } ?? known,
            policy
        )
        guard let finding else { return }
        let (words, reason) = TokenStormWords.text(try answers.reasons(finding.minutes))
        let start = finding.minutes.lowerBound
        let cause = Fuse.Cause(
            at: work.now,
            // The rest of the minute in which somebody has decided belongs to the new storm.
            since: fuse?.decision.flatMap { start == fuse?.armed ? $0.date + 1 : nil } ?? start
                * FuseRule.Minute.milliseconds,
            answers: finding.answers,
            invalid: finding.invalid,
            limit: Int(finding.limit * 1000),
            usual: finding.usual.map { Int($0 * 1000) },
            reason: reason,
            words: words
        )
        guard try work.store.blow(name, cause, known: fuse) else { return }
        var counts = PruneCounts()
        counts.blown = 1
        control.add(counts)
        logger.emit(PruneEvent.fuseBlown(name, cause))
        nextRound = .now()
    }

    /// What is usual, from the hours before, without those that are in doubt.
    private func usualShare(
        _ name: FuseName,
        _ fuse: Fuse?,
        before minute: Int64,
        _ answers: LaneAnswers
    ) throws(MongoError) -> Double? {
        let until = minute / 60 * 60
        if usual[name.lane]?.until != until {
            let hours = try answers.byApp(until - Self.history..<until, step: 60).steps
            usual[name.lane] = UsualShares(hours: hours, until: until)
        }
        let hours = (usual[name.lane]?.hours[name.app] ?? []).filter { hour in
            let start = hour.number * FuseRule.Minute.milliseconds
            return fuse?.isDoubtful(start..<start + 60 * FuseRule.Minute.milliseconds) != true
        }
        return FuseRule.usual(hours.map { ($0.answers, $0.invalid) })
    }

    // MARK: - Rounds

    /// Looks at what is due, and does what is left: of this process, of others that are gone, and of what people have decided.
    ///
    /// - Returns: whether more is left to do at once.
    func turn() throws(MongoError) -> Bool {
        guard nextRound <= .now() else { return false }
        nextRound = MonotonicTime.now().advanced(by: Self.interval)
        return try pool.withClient { (client) throws(MongoError) in
            let work = Work(client, database)
            if nextRecollection <= .now() {
                let recent = work.now - FuseWatch.settling - 2 * FuseRule.Minute.milliseconds
                for (name, minutes) in try work.events.appliedMinutes(since: recent) {
                    for minute in minutes { watch.note(name, minute: minute) }
                }
                nextRecollection = MonotonicTime.now().advanced(by: Self.recollection)
            }
            try look(work)
            var isMore = false
            let fuses = try work.fuses()
            for fuse in fuses.values {
                if let times = fuse.stormTimes { try sweep(fuse, times, work) }
                if !fuse.isBlown, try follow(fuse, work) { isMore = true }
            }
            if nextCount <= .now() || Set(fuses.values.filter(\.isBlown).map(\.name)) != control.blownFuses {
                try count(fuses, work)
                nextCount = MonotonicTime.now().advanced(by: Self.counting)
            }
            if isMore { nextRound = .now() }
            return isMore
        }
    }

    /// Takes back what was carried out since the storm began.
    private func sweep(_ fuse: Fuse, _ times: ClosedRange<Int64>, _ work: Work) throws(MongoError) {
        while true {
            control.watch.works()
            let page = try work.events.page(fuse.name, .applied, in: times, limit: Self.pageSize)
            let events = read(page)
            try takeBack(events, as: fuse.isBlown ? .held : .discarded, work)
            // What cannot be read stays, and would be found again and again.
            guard page.count == Self.pageSize, !events.isEmpty else { return }
        }
    }

    /// Carries out what a person has decided about the events that are held.
    ///
    /// - Returns: whether there are more.
    private func follow(_ fuse: Fuse, _ work: Work) throws(MongoError) -> Bool {
        var counts = PruneCounts()
        var isMore = false
        for number in 1...Self.pagesAtOnce {
            control.watch.works()
            let page = try work.events.page(fuse.name, .held, limit: Self.pageSize)
            if !page.isEmpty {
                let isRelease = fuse.state == .released
                if isRelease {
                    let judged = try evidence.judge(read(page).map(\.event), now: work.now)
                    counts.afterRelease.add(try registry.apply(judged.believed + judged.unproven))
                }
                let marked = try work.events.mark(
                    page.map(\.id),
                    from: .held,
                    isRelease ? .released : .discarded,
                    now: work.now
                )
                if isRelease { counts.released += marked } else { counts.dropped += marked }
            }
            guard page.count == Self.pageSize else { break }
            isMore = number == Self.pagesAtOnce
        }
        guard counts.released + counts.dropped > 0 else { return false }
        control.add(counts)
        logger.emit(PruneEvent.fuseFollowed(fuse, counts, isDone: !isMore))
        return isMore
    }

    /// What stands in the store, as events; what cannot be read, which nothing here has written, is left out.
    private func read(
        _ entries: [TokenEvents.Entry]
    ) -> [(event: InvalidTokenEvent, entry: TokenEvents.Entry)] {
        entries.compactMap { entry in
            guard let event = try? InvalidTokenEvent(decoding: Array(entry.event.utf8)) else { return nil }
            return (event, entry)
        }
    }
}

/// A fuse as metrics show it.
struct FuseView: Hashable, Sendable {
    let name: FuseName
    let isBlown: Bool
    let held: Int
}
