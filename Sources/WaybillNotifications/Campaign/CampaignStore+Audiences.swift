import WaybillAudience
import WaybillCore
import WaybillFleet
import WaybillMongo

/// Orders about a campaign that is under way: its notifications say so, for whoever has them in hand, and then the audiences that they have
/// become, so that fan-out stops or goes on whoever runs beside it.
extension CampaignStore {
    /// Sends nothing more of it.
    ///
    /// Audiences that wait end at once. Those of which something is with the dispatchers are ended by an order, which these follow, too, and so
    /// are those whose messages fan-out has not taken.
    func stop(_ campaign: Campaign, by: String, now: Int64) throws(MongoError) {
        try notifications(of: campaign).cancel(now: now)
        let (begun, claimed) = try audiences(of: campaign)
        let left = try audiences.cancelWaiting(begun, reason: "cancelled by \(by)", now: now)
        let owner = campaign.client ?? scope.unnamed
        let ordered = left.begun + (left.missing + claimed).map { (name: $0, client: owner) }
        guard !ordered.isEmpty else { return }
        let source = OrderSource(
            name: by,
            // An order counts for what came before it.
            date: try client.clock() ?? now,
            note: "the campaign \(campaign.name) is cancelled"
        )
        let cancellations = ordered.map { one in
            Cancellation(batch: BatchName(one.name, includesParts: false), client: one.client, source: source)
        }
        // Where too many orders hold already, they rest at least.
        if try orders.cancel(cancellations) != nil { try audiences.hold(begun, true) }
    }

    /// Hands over nothing more of it, or goes on with it.
    func hold(_ campaign: Campaign, _ isHeld: Bool, now: Int64) throws(MongoError) {
        try notifications(of: campaign).hold(isHeld, now: now)
        try audiences.hold(try audiences(of: campaign).begun, isHeld)
    }

    /// What its notifications have become that have not ended.
    ///
    /// - Returns: the audiences whose messages the broker has, and the names of those that somebody is handing over.
    private func audiences(
        of campaign: Campaign
    ) throws(MongoError) -> (begun: [NotedAudience], claimed: [String]) {
        var begun: [NotedAudience] = []
        var claimed: [String] = []
        for summary in try notifications(of: campaign).summaries().values where !summary.hasEnded {
            guard let name = summary.audience else { continue }
            if let digest = summary.digest {
                begun.append(NotedAudience(name: name, digest: digest))
            } else {
                claimed.append(name)
            }
        }
        return (begun, claimed.sorted())
    }
}
