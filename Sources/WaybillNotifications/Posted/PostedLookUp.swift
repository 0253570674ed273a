package import WaybillMongo

/// What the store has under a name somebody asks about: a notification that was put there, or a campaign.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct PostedLookUp {
    private typealias Field = NotificationLayout.Field

    private let notifications: MongoCollection
    private let campaigns: CampaignStore

    package init(client: MongoClient, database: String) {
        notifications = client.collection(database: database, name: NotificationLayout.collection)
        campaigns = CampaignStore(client: client, database: database)
    }

    /// The notification that becomes a batch of this name; what services have said is not among them.
    ///
    /// - Throws: what the store says, such as that nobody may read it here.
    package func notification(_ name: String) throws(MongoError) -> PostedSummary? {
        let filter = BSONDocument { writer in
            writer.append(
                "$or",
                array: { ways in
                    ways.append { $0.append(Field.id, string: name) }
                    if let number = Int64(name) { ways.append { $0.append(Field.id, int64: number) } }
                    if let id = BSONIdentifier(objectID: name) {
                        ways.append { $0.append(Field.id, identifier: id) }
                    }
                }
            )
            writer.append(Field.service) { $0.append("$exists", bool: false) }
        }
        let options = MongoFindOptions(maximumTime: .seconds(2), readsMajority: true)
        return try notifications.findOne(filter, options: options).map { PostedSummary($0) }
    }

    /// The campaign of this name, with what has become of its parts.
    ///
    /// - Throws: what the store says, such as that nobody may read it here.
    package func campaign(_ name: String) throws(MongoError) -> (campaign: Campaign, progress: [Int: PostedSummary])? {
        guard let campaign = try campaigns.campaign(name) else { return nil }
        return (campaign, try campaigns.progress(campaign))
    }
}
