package import WaybillAudience
import WaybillEncoding
import WaybillMongo

/// What is known of a posted notification.
package struct PostedSummary: Hashable, Sendable {
    /// `new` where nobody has looked at it.
    package var state: String
    package var devices: Int
    package var handedOver: Int
    /// Notifications that the dispatchers may have besides.
    package var unconfirmed: Int
    /// Devices that nothing is sent to.
    package var leftOut: AudienceLeftOut
    package var outcomes: [PostedProgress.Outcome]
    /// Why it is as it is; of one that nobody follows, why that is so.
    package var reason: String?
    /// Why nobody follows it; `nil` where somebody does.
    package var flaw: String?
    /// When its audience begins, in milliseconds since 1970.
    package var begins: Int64?
    package var isHeld: Bool
    /// When ``outcomes`` were counted, in milliseconds since 1970; `nil`: nobody has, or a former release did.
    package var countedAt: Int64?
    /// The name of its audience, and the digest of its message; `nil` as long as the broker does not have that for certain.
    package var audience: String?
    package var digest: String?
    /// Who has ordered that nothing of it is sent, while nothing is decided about it.
    package var cancelledBy: String?
    /// Nothing more of it is to be sent.
    package var isCancelled = false
    /// Whether nothing more of its audience is handed over: what became of the rest is not all counted yet.
    package var isExpanded = false

    /// Whether the dispatchers have anything of it.
    package var hasBegun: Bool { handedOver > 0 || unconfirmed > 0 || !outcomes.isEmpty }

    /// Whether nothing more becomes of it.
    package var hasEnded: Bool { ["sent", "failed", "cancelled", "refused"].contains(state) }
}

extension PostedSummary {
    private typealias Field = NotificationLayout.Field

    init(_ document: BSONDocument) {
        self.init(
            state: document["\(Field.state)"]?.string ?? "new",
            devices: document["\(Field.devices)"]?.amount ?? 0,
            handedOver: document["\(Field.handedOver)"]?.amount ?? 0,
            unconfirmed: document["\(Field.unconfirmed)"]?.amount ?? 0,
            leftOut: AudienceLeftOut(
                withoutLane: document["\(Field.withoutLane)"]?.amount ?? 0,
                withoutContent: document["\(Field.withoutContent)"]?.amount ?? 0
            ),
            outcomes: (document["\(Field.outcomes)"]?.document?.fields ?? []).map { name, count in
                PostedProgress.Outcome(name: name, count: count.amount ?? 0)
            },
            reason: document["\(Field.reason)"]?.string,
            begins: document["\(Field.begins)"]?.date,
            isHeld: document["\(Field.held)"]?.bool ?? false,
            countedAt: document["\(Field.notedAt)"]?.date,
            audience: PostedStore.isUndecided(document) ? nil : document["\(Field.audience)"]?.string,
            digest: document["\(Field.digest)"]?.string,
            cancelledBy: PostedStore.canceller(of: document)
        )
        isCancelled = PostedStore.isCancelled(document)
        flaw = NotificationLayout.flaw(document)
        reason = flaw ?? reason
    }
}

extension PostedSummary {
    /// Takes what the audience's own record says by now: the document is looked at the more rarely the longer it takes.
    ///
    /// Outcomes stay those of the document.
    mutating func take(_ figures: AudienceFigures) {
        guard !hasEnded, digest.map({ $0 == figures.digest }) ?? true else { return }
        let recorded = max(handedOver, outcomes.reduce(0) { $0 + $1.count })
        isExpanded = figures.state.isEnded
        if state == "scheduled", figures.state != .waiting { state = "sending" }
        devices = max(devices, figures.expanded)
        leftOut = AudienceLeftOut(
            withoutLane: max(leftOut.withoutLane, figures.leftOut.withoutLane),
            withoutContent: max(leftOut.withoutContent, figures.leftOut.withoutContent)
        )
        handedOver = figures.knownHandedOver(recorded: recorded)
        unconfirmed = figures.unconfirmed(recorded: recorded)
    }
}

extension AudienceStore {
    /// Brings what documents say of notifications up to what their audiences' records say now.
    ///
    /// - Parameter summaries: of notifications, by any name; those that have ended are as they were.
    /// - Throws: what the store says.
    func bringUpToDate<Key>(_ summaries: inout [Key: PostedSummary]) throws(MongoError) {
        let open = summaries.values.filter { !$0.hasEnded }.compactMap(\.audience)
        let figures = try figures(of: open)
        for (key, summary) in summaries {
            guard let found = summary.audience.flatMap({ figures[$0] }) else { continue }
            // Other clients may have an audience of the same name: the digest tells.
            for now in found where summary.digest != nil || found.count == 1 { summaries[key]?.take(now) }
        }
    }
}
