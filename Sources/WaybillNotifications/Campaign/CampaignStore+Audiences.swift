import WaybillAudience
import WaybillCore
import WaybillFleet
import WaybillMongo

/// Orders about a campaign that is under way: its notifications say so, for whoever has them in hand, and then the audiences that they have
/// become, so that fan-out stops or goes on whoever runs beside it.
extension CampaignStore {
    /// Sends nothing more of it.
    ///
    /// Audiences that wait end at once. Those of which something is with the dispatchers are ended by an order, which these follow, too.
    func stop(_ campaign: Campaign, by: String, now: Int64) throws(MongoError) {
        try notifications(of: campaign).cancel(now: now)
        let begun = try begunAudiences(of: campaign)
        let left = try audiences.cancelWaiting(begun, reason: "cancelled by \(by)", now: now)
        guard !left.isEmpty else { return }
        let source = OrderSource(
            name: by,
            // An order counts for what came before it.
            date: try client.clock() ?? now,
            note: "the campaign \(campaign.name) is cancelled"
        )
        let cancellations = left.map { one in
            Cancellation(batch: BatchName(one.name, includesParts: false), client: one.client, source: source)
        }
        // Where too many orders hold already, they rest at least.
        if try orders.cancel(cancellations) != nil { try audiences.hold(begun, true) }
    }

    /// Hands over nothing more of it, or goes on with it.
    func hold(_ campaign: Campaign, _ isHeld: Bool, now: Int64) throws(MongoError) {
        try notifications(of: campaign).hold(isHeld, now: now)
        try audiences.hold(try begunAudiences(of: campaign), isHeld)
    }

    /// What its notifications have become that have not ended.
    private func begunAudiences(of campaign: Campaign) throws(MongoError) -> [NotedAudience] {
        try notifications(of: campaign).summaries().values.compactMap { summary in
            guard !summary.hasEnded, let name = summary.audience, let digest = summary.digest else { return nil }
            return NotedAudience(name: name, digest: digest)
        }
    }
}
