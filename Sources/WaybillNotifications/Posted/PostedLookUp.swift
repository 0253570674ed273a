import WaybillAudience
import WaybillCore
import WaybillEncoding
package import WaybillMongo

/// What the store has under a name somebody asks about: a notification that was put there, or a campaign.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct PostedLookUp {
    private typealias Field = NotificationLayout.Field

    private let notifications: MongoCollection
    private let campaigns: CampaignStore
    private let audiences: AudienceStore

    private let scope: CampaignStore.Scope
    private let owners: PostedClients

    /// - Parameters:
    ///   - client: the store's.
    ///   - database: where notifications and campaigns are.
    ///   - scope: whose; those of others are not there.
    ///   - ofServices: the client of what services say; `nil` where no configuration says.
    package init(client: MongoClient, database: String, scope: CampaignStore.Scope, ofServices: String?) {
        self.scope = scope
        owners = PostedClients(unnamed: scope.unnamed, ofServices: ofServices)
        notifications = client.collection(database: database, name: NotificationLayout.collection)
        audiences = AudienceStore(client: client, database: database)
        campaigns = CampaignStore(client: client, database: database, scope: scope)
    }

    /// The notification that becomes a batch of this name; what services have said is not among them.
    ///
    /// - Throws: what the store says, such as that nobody may read it here.
    package func notification(_ name: String) throws(MongoError) -> PostedSummary? {
        let filter = BSONDocument { writer in
            writer.append(
                "$and",
                array: { all in
                    all.append { NotificationLayout.named(BatchName(name, includesParts: false), $0) }
                    all.append { $0.append(Field.recipients) { $0.append("$exists", bool: false) } }
                    if let clients = scope.clients { all.append { owners.own(clients, $0) } }
                }
            )
        }
        let options = MongoFindOptions(maximumTime: .seconds(2), readsMajority: true)
        guard let document = try notifications.findOne(filter, options: options) else { return nil }
        var found = [name: PostedSummary(document)]
        try audiences.bringUpToDate(&found)
        return found[name]
    }

    /// A campaign, with what has become of its parts by their numbers.
    package typealias KnownCampaign = (campaign: Campaign, progress: [Int: PostedSummary])

    /// The campaigns of this name, and those that the batch of this name is a part of.
    ///
    /// - Throws: what the store says, such as that nobody may read it here.
    package func campaigns(_ batch: String) throws(MongoError) -> [KnownCampaign] {
        var found = try campaigns.all(batch)
        if let whole = BatchName.whole(of: batch) {
            found += try campaigns.all(whole).filter { $0.parts.indices.map($0.partID).containsExactly(batch) }
        }
        return try found.map { (campaign) throws(MongoError) in (campaign, try campaigns.progress(campaign)) }
    }
}
