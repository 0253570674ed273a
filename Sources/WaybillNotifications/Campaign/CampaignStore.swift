import WaybillAudience
package import WaybillEncoding
import WaybillFleet
package import WaybillMongo

/// Keeps campaigns, and puts their notifications into the store; each write is in a majority's journal when it returns.
///
/// A campaign's parts are written with the change that starts it, so that whoever is killed then can be followed by another
/// one, who puts the same notifications there.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct CampaignStore {
    private typealias Field = CampaignLayout.Field

    static let maximumTime = Duration.seconds(5)
    /// How often numbers of parts are drawn that somebody else does not have.
    private static let mostDraws = 5

    /// Whose campaigns are there.
    package struct Scope: Sendable {
        /// `nil`: everybody's.
        package let clients: Set<ExactName>?
        /// Whose those are that do not say so.
        package let unnamed: String

        package init(clients: Set<ExactName>?, unnamed: String) {
            self.clients = clients
            self.unnamed = unnamed
        }
    }

    let collection: MongoCollection
    private let notifications: MongoCollection
    let client: MongoClient
    let audiences: AudienceStore
    let orders: OrderWriter
    let scope: Scope

    /// - Parameters:
    ///   - client: the store's.
    ///   - database: where campaigns and notifications are.
    ///   - scope: whose campaigns; those of others are not there.
    package init(
        client: MongoClient,
        database: String,
        scope: Scope = Scope(clients: nil, unnamed: "")
    ) {
        self.scope = scope
        self.client = client
        collection = client.collection(database: database, name: CampaignLayout.collection)
        notifications = client.collection(database: database, name: NotificationLayout.collection)
        audiences = AudienceStore(client: client, database: database)
        orders = OrderWriter(client: client, database: database)
    }

    /// - Returns: `false`: another one of its client has its name.
    package func create(_ campaign: Campaign) throws(MongoError) -> Bool {
        guard try earlier(campaign) == nil else { return false }
        let bulk = collection.bulk()
        try bulk.insert(campaign.document)
        let result = bulk.execute()
        if result.writeErrors.contains(where: \.isDuplicateID) { return false }
        try result.requireDurable("write to \(CampaignLayout.collection)")
        return true
    }

    /// By its `_id`.
    package func campaign(_ id: String) throws(MongoError) -> Campaign? {
        let options = MongoFindOptions(maximumTime: Self.maximumTime, readsMajority: true)
        let filter = scoped(BSONDocument { $0.append(Field.id, string: id) })
        return try collection.findOne(filter, options: options).flatMap(Campaign.init)
    }

    /// What became of a start.
    package enum Started: Sendable {
        /// The campaign as it is now, started or not.
        case campaign(Campaign)
        /// Somebody else's documents have the names of these parts; nothing was started, or it is not finished.
        case namesTaken([String])
        case unknown
    }

    /// Starts a draft by a plan; one that somebody was starting is gone on with by the plan that it has.
    package func start(_ id: String, by plan: [CampaignPart], now: Int64) throws(MongoError) -> Started {
        guard let draft = try campaign(id) else { return .unknown }
        var planned = draft
        planned.parts = plan
        if draft.state == .draft {
            var taken: [String] = []
            for _ in 0..<Self.mostDraws {
                planned.numbersAfter = Campaign.drawnNumber()
                taken = try notifications(of: planned).foreign()
                if taken.isEmpty { break }
            }
            guard taken.isEmpty else { return .namesTaken(taken) }
        }
        _ = try change(id, from: .draft) { set in
            set.append(Field.state, string: Campaign.State.starting.rawValue)
            set.append(Field.startedAt, date: now)
            set.append(Field.numbersAfter, int: Int(planned.numbersAfter))
            set.append(Field.parts, array: { array in for part in plan { array.append { part.append(to: $0) } } })
        }
        guard let campaign = try campaign(id) else { return .unknown }
        guard campaign.state == .starting else { return .campaign(campaign) }
        try post(
            campaign.parts.enumerated().filter { $0.element.skipped == nil }.map { number, part in
                campaign.notification(campaign.partID(number), part)
            }
        )
        let own = notifications(of: campaign)
        let taken = try own.foreign()
        guard taken.isEmpty else { return .namesTaken(taken) }
        let started = try change(id, from: .starting) { set in
            set.append(Field.state, string: Campaign.State.started.rawValue)
        }
        var found = started
        if found == nil { found = try self.campaign(id) }
        guard let current = found else { return .unknown }
        // Somebody has cancelled or paused it before its notifications were there, or has started it, too.
        if current.state == .cancelled { try stop(current, by: current.cancelled?.by ?? "", now: now) }
        if current.isHeld { try hold(current, true, now: now) }
        return .campaign(current)
    }

    /// Puts a notification for some devices by name into the store.
    ///
    /// - Returns: its `_id`.
    package func test(
        _ campaign: Campaign,
        suffix: String,
        users: [String],
        devices: [String]
    ) throws(MongoError) -> String {
        let notification = campaign.test(suffix, users: users, devices: devices)
        try post([notification])
        return notification["_id"]?.string ?? ""
    }

    /// What became of a change to a campaign that is under way.
    package enum Changed: Hashable, Sendable {
        case made
        /// It is so already.
        case before
        /// Everything of it had ended.
        case ended
        /// Its end has passed: nothing more of it is sent.
        case expired
        /// It was never started.
        case notStarted
        case unknown
    }

    /// Sends nothing more of a campaign.
    ///
    /// Its audiences end at once, by themselves or by an order; what fan-out does not have yet is ended by whoever has its
    /// notification in hand.
    ///
    /// - Parameters:
    ///   - id: its `_id`.
    ///   - by: who asks for it.
    ///   - now: milliseconds since 1970.
    /// - Returns: what became of it.
    /// - Throws: what the store says.
    package func cancel(_ id: String, by: String, now: Int64) throws(MongoError) -> Changed {
        guard let campaign = try campaign(id) else { return .unknown }
        if try hasEnded(campaign) { return .ended }
        if campaign.state != .cancelled {
            try set(id) { writer in
                writer.append("$set") { set in
                    set.append(Field.state, string: Campaign.State.cancelled.rawValue)
                    set.append(Field.cancelledBy, string: by)
                    set.append(Field.cancelledAt, date: now)
                }
            }
        }
        // What was started in between is among these.
        if let current = try self.campaign(id) { try stop(current, by: by, now: now) }
        return campaign.state == .cancelled ? .before : .made
    }

    /// Hands over nothing more of a campaign for now, or goes on with it; its expiry goes on counting.
    ///
    /// Its audiences rest or go on at once; what fan-out does not have yet waits with its notification. What is to go on after its
    /// end ends instead.
    ///
    /// - Parameters:
    ///   - id: its `_id`.
    ///   - isHeld: whether it is to be paused.
    ///   - by: who asks for it.
    ///   - now: milliseconds since 1970.
    /// - Returns: what became of it.
    /// - Throws: what the store says.
    package func hold(_ id: String, _ isHeld: Bool, by: String, now: Int64) throws(MongoError) -> Changed {
        guard let campaign = try campaign(id) else { return .unknown }
        switch campaign.state {
        case .draft: return .notStarted
        case .cancelled: return .ended
        case .starting, .started: break
        }
        if try hasEnded(campaign) { return .ended }
        if !isHeld, campaign.state == .started, let end = campaign.end, end <= now {
            if campaign.isHeld { try expire(campaign, by: by, now: now) }
            return .expired
        }
        // Who has paused it first is told.
        if campaign.isHeld != isHeld {
            try set(id) { writer in
                writer.append(isHeld ? "$set" : "$unset") { set in
                    set.append(Field.held, bool: true)
                    set.append(Field.heldBy, string: by)
                    set.append(Field.heldAt, date: now)
                }
            }
        }
        if let current = try self.campaign(id) { try hold(current, isHeld, now: now) }
        return campaign.isHeld == isHeld ? .before : .made
    }

    /// Ends what is left of a campaign that was held over its end.
    private func expire(_ campaign: Campaign, by: String, now: Int64) throws(MongoError) {
        try stop(campaign, by: by, now: now)
        // Not before: what is held no more is handed over.
        try notifications(of: campaign).hold(false, now: now)
        try set(campaign.id) { writer in
            writer.append("$unset") { unset in
                for field in [Field.held, Field.heldBy, Field.heldAt] { unset.append(field, int: 1) }
            }
        }
    }

    /// Whether nothing more becomes of a campaign.
    private func hasEnded(_ campaign: Campaign) throws(MongoError) -> Bool {
        guard campaign.state == .started || campaign.state == .cancelled, campaign.startedAt != nil else {
            return false
        }
        let progress = try progress(campaign)
        return campaign.parts.indices.allSatisfy { number in
            campaign.parts[number].skipped != nil || progress[number]?.hasEnded == true
        }
    }

    private func set(_ id: String, _ update: (BSONWriter) -> Void) throws(MongoError) {
        let filter = BSONDocument { $0.append(Field.id, string: id) }
        _ = try collection.findOneAndUpdate(filter, update: BSONDocument(update), maximumTime: Self.maximumTime)
    }

    /// What has become of a campaign's notifications, by the numbers of its parts; those that were skipped have none.
    ///
    /// How many are handed over is what their audiences' records say now.
    package func progress(_ campaign: Campaign) throws(MongoError) -> [Int: PostedSummary] {
        let own = notifications(of: campaign)
        let found = try own.summaries()
        var progress: [Int: PostedSummary] = [:]
        for (number, id) in own.ids.enumerated() { progress[number] = found[id] }
        try audiences.bringUpToDate(&progress)
        return progress
    }

    func notifications(of campaign: Campaign) -> CampaignNotifications {
        CampaignNotifications(
            collection: notifications,
            ids: campaign.parts.indices.map(campaign.partID),
            mark: campaign.mark
        )
    }

    /// What is there already stays as it is.
    private func post(_ documents: [BSONDocument]) throws(MongoError) {
        guard !documents.isEmpty else { return }
        let bulk = notifications.bulk()
        for document in documents {
            let writer = BSONWriter()
            for (name, value) in document.fields { _ = writer.append(name: name, value: value) }
            try bulk.insert(writer)
        }
        let result = bulk.execute()
        if let failure = result.failure { throw failure }
        guard
            let error = result.writeErrors.first(where: { !$0.isDuplicateID })?.message
                ?? result.writeConcernErrors.first
        else { return }
        throw MongoError(
            code: .notDurable,
            operation: "write to \(NotificationLayout.collection)",
            reason: error
        )
    }

    private func change(
        _ id: String,
        from state: Campaign.State,
        _ set: (BSONWriter) -> Void
    ) throws(MongoError) -> Campaign? {
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: id)
            writer.append(Field.state, string: state.rawValue)
        }
        let update = BSONDocument { $0.append("$set", document: set) }
        return try collection.findOneAndUpdate(filter, update: update, maximumTime: Self.maximumTime)
            .flatMap(Campaign.init)
    }
}
