import WaybillCore
import WaybillDeliveryLog
import WaybillMongo

/// Holds a batch of events against the delivery log.
struct EventEvidence {
    /// What is left of a batch.
    struct Judged {
        /// To be carried out on the registry, as the log tells them.
        var believed: [InvalidTokenEvent] = []
        /// To be carried out on the registry as well: suspicions that the log knows nothing of.
        var unproven: [InvalidTokenEvent] = []
        /// Ignored.
        var refused = 0
        /// The first one that was ignored, and why.
        var example: (event: InvalidTokenEvent, reason: String)?
    }

    let pool: MongoPool
    let trust: PruneTrust

    /// Whether the log decides what is believed.
    var asksLog: Bool {
        if case .log = trust { true } else { false }
    }

    /// Asks the log a question that has no answer, to see whether it may be read.
    func probe() throws(MongoError) {
        guard case .log(let options, _) = trust else { return }
        try pool.withClient { (client) throws(MongoError) in
            let nobody = DeliveryQuery(id: NotificationID(high: 0, low: 0), limit: 1)
            _ = try DeliveryLogReader(client: client, options: options, scope: .all).query(nobody).next()
        }
    }

    /// Judges events.
    ///
    /// - Parameters:
    ///   - events: as they came.
    ///   - now: milliseconds since 1970.
    /// - Returns: what to do with them.
    /// - Throws: what the log cannot be read for.
    func judge(_ events: [InvalidTokenEvent], now: Int64) throws(MongoError) -> Judged {
        var judged = Judged()
        guard case .log(let options, let environments) = trust else {
            judged.believed = events.map { EventBelief.bounded($0, now: now) }
            return judged
        }
        guard !events.isEmpty else { return judged }
        let refusals = try pool.withClient { (client) throws(MongoError) in
            try DeliveryLogReader(client: client, options: options, scope: .all).refusals(of: events)
        }
        for (event, refusal) in zip(events, refusals) {
            switch EventBelief.judge(event, refusal, environments: environments, now: now) {
            case .believed(let told): judged.believed.append(told)
            case .unproven(let suspicion): judged.unproven.append(suspicion)
            case .refused(let reason):
                judged.refused += 1
                judged.example = judged.example ?? (event, reason)
            }
        }
        return judged
    }
}
