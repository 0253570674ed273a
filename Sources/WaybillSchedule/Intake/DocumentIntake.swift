import WaybillMessages
import WaybillMongo
import WaybillNotifications
import WaybillThreads

/// Examines documents that nobody has looked at, or whose time has come, and claims those that can be sent.
///
/// Input: documents without a state, and those that are undecided. Output: claims, which go to the handover, and the states of all others. A document that
/// the store lets nobody change is left where it is, and those behind it are looked at.
///
/// *Thread:* the worker's. *Blocking:* up to the limits of the pool and the time limits.
final class DocumentIntake {
    private let rules: PostedRules
    private let handover: AudienceHandover
    private let strays: StrayDocuments
    private let odd: OddDocuments
    private let report: ScheduleReport
    private var place = IntakePlace()
    /// What is cancelled is not looked for before, while there is no room for claims.
    private var hold = MonotonicTime.now()
    /// What waits may be much, and is gone through for the few that are cancelled.
    private static let pause = Duration.seconds(5)
    /// So much of what is cancelled is ended at once: what else there is to do does not wait for long.
    private static let cancelledPages = 10

    init(
        rules: PostedRules,
        handover: AudienceHandover,
        strays: StrayDocuments,
        odd: OddDocuments,
        report: ScheduleReport
    ) {
        self.rules = rules
        self.handover = handover
        self.strays = strays
        self.odd = odd
        self.report = report
    }

    /// Takes a page; while something that was claimed before waits for the broker, no more than there is room for, and then
    /// what is cancelled alone.
    ///
    /// - Returns: whether there may be more.
    func turn(_ posted: PostedStore, _ services: PostedServices) throws(MongoError) -> Bool {
        guard handover.room > 0 else {
            try endCancelled(posted, services)
            return false
        }
        let isIdle = handover.isIdle
        try decide(posted, services)
        let limit = isIdle ? IntakePlace.pageSize : handover.room
        guard limit > 0 else { return false }
        let found = try posted.new(limit: limit, skip: place.skip)
        var left = 0
        for document in found {
            if try !isTaken(document, posted, services) { left += 1 }
        }
        try strays.look(posted)
        return isIdle && place.passed(found: found.count, left: left)
    }

    /// Ends what is cancelled: that needs no broker.
    private func endCancelled(_ posted: PostedStore, _ services: PostedServices) throws(MongoError) {
        guard hold <= .now() else { return }
        let now = WallClock.milliseconds()
        while let document = try posted.claimUndecided(now: now, cancelledAlone: true) {
            _ = try isTaken(document, posted, services)
        }
        for _ in 0..<Self.cancelledPages {
            let found = try posted.new(limit: IntakePlace.pageSize, cancelledAlone: true)
            var left = 0
            for document in found {
                if try !isTaken(document, posted, services) { left += 1 }
            }
            guard found.count == IntakePlace.pageSize, left == 0 else { break }
        }
        hold = .now().advanced(by: Self.pause)
    }

    /// Looks at documents that wait for their time and are to be looked at now, each once.
    private func decide(_ posted: PostedStore, _ services: PostedServices) throws(MongoError) {
        let now = WallClock.milliseconds()
        while handover.room > 0, let document = try posted.claimUndecided(now: now) {
            if let next = WaitRule.pause(document, now: now) {
                _ = try isChanged(document, posted) { () throws(MongoError) in
                    try posted.wait(document, begins: next.begins, next: next.look)
                    return true
                }
            } else {
                _ = try isTaken(document, posted, services)
            }
        }
    }

    /// - Returns: `false`: it stays as it is.
    private func isTaken(
        _ document: BSONDocument,
        _ posted: PostedStore,
        _ services: PostedServices
    ) throws(MongoError) -> Bool {
        let now = WallClock.milliseconds()
        return try isChanged(document, posted) { () throws(MongoError) in
            let decision = try IntakeDecision.make(document, rules, now: now) { () throws(MongoError) in
                try services.voice(document, now: now)
            }
            return try carryOut(decision, about: document, posted, now: now)
        }
    }

    /// Runs the queries of one document: a refusal of the server refuses that document, and no other one waits for it.
    ///
    /// - Returns: `false`: it stays as it is.
    private func isChanged(
        _ document: BSONDocument,
        _ posted: PostedStore,
        _ change: () throws(MongoError) -> Bool
    ) throws(MongoError) -> Bool {
        let refusal: MongoError
        do throws(MongoError) {
            return try change()
        } catch {
            guard error.isAboutTheQuery || error.code == .timeLimitExceeded else { throw error }
            refusal = error
        }
        // It may be sent when the store has more time.
        if refusal.isAboutTheQuery {
            do throws(MongoError) {
                guard try posted.refuse(document, PostedRefusal(refusal)) else { return true }
                report.refused(Self.name(of: document), reason: refusal.refusal)
                return true
            } catch {
                guard error.isAboutTheQuery else { throw error }
            }
        }
        odd.skipped(Self.name(of: document), reason: refusal.reason)
        return false
    }

    private func carryOut(
        _ decision: IntakeDecision,
        about document: BSONDocument,
        _ posted: PostedStore,
        now: Int64
    ) throws(MongoError) -> Bool {
        switch decision {
        case .claim(let one):
            if try posted.claim(one, now: now) { handover.take(PostedStore.Claimed(one, now: now)) }
        case .wait(let time): try posted.wait(document, begins: time, next: WaitRule.next(begins: time, now: now))
        case .refuse(let refusal):
            guard try posted.refuse(document, refusal) else { return true }
            report.refused(Self.name(of: document), reason: refusal.description)
        case .cancel: try posted.cancel(document)
        case .markSent: try posted.leave(document)
        case .leave(let reason):
            odd.skipped(Self.name(of: document), reason: reason)
            return false
        }
        return true
    }

    /// The beginning of its name; a document may have anything for one.
    private static func name(of document: BSONDocument) -> String {
        String((document.identifier("_id")?.text ?? "").prefix(64))
    }
}

extension PostedStore.Claimed {
    /// What was claimed just now.
    fileprivate init(_ one: PostedNotification, now: Int64) {
        self.init(id: one.id, audience: one.message.id, body: one.body, begins: one.begins(now: now), claimedAt: now)
    }
}
