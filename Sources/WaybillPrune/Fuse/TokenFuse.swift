import Logging
import WaybillCore
import WaybillDeviceRegistry
import WaybillMongo
import WaybillThreads

/// Stands between the events and the registry: carries them out, or holds them where their fuse has blown.
///
/// Input: events that the delivery log bears out, its statistics, and what people decide. Output: the registry, the events as
/// they stand in the store, and the fuses. Invariants, whichever of several processes dies when: an event is in the store
/// before anything is done about it; what was carried out since a fuse's storm began is taken back when it blows; what a
/// person has decided is followed to the end. Failure: an error leaves everything so that the same can be done again.
///
/// Three parts do it: ``StormJudge`` blows fuses, ``EventGate`` does with each event what its fuse says, and ``FuseRounds``
/// does what is left to do.
///
/// *Thread:* `wb-prune`.
final class TokenFuse {
    private let pool: MongoPool
    private let database: String
    private let policy: FusePolicy
    private let registry: DeviceRegistryWriter
    private let clock = RoundClock()
    private let judge: StormJudge
    private let gate: EventGate
    private let rounds: FuseRounds

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
        let held = HeldCount(policy: policy, control: control)
        let takeBack = TakeBack(registry: registry, control: control)
        judge = StormJudge(policy: policy, clock: clock, control: control, logger: logger)
        gate = EventGate(registry: registry, held: held, takeBack: takeBack)
        rounds = FuseRounds(
            clock: clock,
            judge: judge,
            held: held,
            sweep: StormSweep(takeBack: takeBack, control: control),
            decisions: DecisionFollower(registry: registry, evidence: evidence, control: control, logger: logger),
            control: control
        )
    }

    /// Asks everything that it needs a question: who may not read it hears of it now, not with the first event.
    func probe() throws(MongoError) {
        try pool.withClient { (client) throws(MongoError) in
            let work = FuseWork(client, database)
            _ = try work.fuses()
            _ = try work.events.has(FuseName(lane: "", app: ""), .held)
            let now = work.now / FuseRule.Minute.milliseconds
            _ = try work.answers(of: "").of([""], now..<now + 1, step: 1)
        }
    }

    /// Carries events out, or holds them.
    ///
    /// - Parameter events: as the log tells them.
    /// - Returns: what became of them, all durable; `nil` if there is no room for what would have to be held.
    /// - Throws: what the store says; the same events may be dealt with again.
    func carryOut(_ events: [InvalidTokenEvent]) throws(MongoError) -> FuseChanges? {
        let now = WallClock.milliseconds()
        guard policy.isOn, !events.isEmpty else {
            return FuseChanges(registry: try registry.apply(events.map { EventBelief.bounded($0, now: now) }))
        }
        let fused = zip(events, try registry.areKnown(events)).map { FusedEvent($0, isKnown: $1, now: now) }
        return try pool.withClient { (client) throws(MongoError) in
            let work = FuseWork(client, database)
            for one in fused { judge.note(one.entry.name, minute: one.entry.at / FuseRule.Minute.milliseconds, work) }
            try judge.look(work)
            return try gate.carryOut(fused, work)
        }
    }

    /// Looks at what is due, and does what is left: of this process, of others that are gone, and of what people have decided.
    ///
    /// - Returns: whether more is left to do at once.
    func turn() throws(MongoError) -> Bool {
        guard clock.beginRound() else { return false }
        return try pool.withClient { (client) throws(MongoError) in try rounds.run(FuseWork(client, database)) }
    }
}
