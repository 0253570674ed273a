import WaybillAudience
package import WaybillCore
package import WaybillDeliveryLog
import WaybillDeviceRegistry
import WaybillEncoding
import WaybillFleet
package import WaybillMongo
package import WaybillNotifications
import WaybillProviders
import WaybillReceipts
import WaybillThreads

/// Answers why a push did not arrive: from the log, from the registry where it may be read, and of what is not final, or not
/// recorded, from what dispatchers and orders say now.
///
/// *Thread:* its client's. *Blocking:* up to the time limits of reader and registry.
package struct DeliveryInvestigation {
    /// How many notifications of a device are told.
    package static let mostNotifications = 10

    let reader: DeliveryLogReader
    private let registry: RegistrySteps
    let client: MongoClient
    let helpers: BatchHelpers?
    let options: DeliveryLogOptions
    let scope: DeliveryScope
    let retry: RetryPolicy
    /// What the store has of campaigns; `nil` where nobody is to be told.
    let posted: PostedLookUp?
    let said: SaidLookUp
    /// What devices have said.
    let saidOfDevices: ReceiptReader
    let familyReader: FamilyReader
    let audience: StoryReader
    let rejections: () -> RejectedGlance.Outcome?

    /// - Parameters:
    ///   - client: the store.
    ///   - options: where log and registry are, and how the log holds tokens.
    ///   - scope: whose records and devices are told of.
    ///   - readsRegistry: whether the registry is asked.
    ///   - helpers: who may help with a large batch; `nil` for nobody.
    ///   - retry: the dispatchers' delay queues, as the configuration has them.
    ///   - owners: whose campaigns and notifications in the store are that do not say so; `nil` where they are not told of.
    ///   - access: what whoever asks may ask the HTTP API for, with a key for some clients.
    ///   - rejections: asked for a batch what lies in the rejected queue; `nil` where nobody is to be told of it.
    package init(
        client: MongoClient,
        options: DeliveryLogOptions,
        scope: DeliveryScope,
        readsRegistry: Bool = true,
        helpers: BatchHelpers? = nil,
        retry: RetryPolicy = RetryPolicy(),
        owners: PostedClients? = nil,
        access: AdviceRoute.Access = .all,
        rejections: @escaping () -> RejectedGlance.Outcome? = { nil }
    ) {
        reader = DeliveryLogReader(
            client: client,
            options: options,
            scope: scope,
            maximumTime: DeliveryPage.longestTime
        )
        saidOfDevices = ReceiptReader(client: client, database: options.database)
        familyReader = FamilyReader(client: client, database: options.database)
        registry = RegistrySteps(
            readsRegistry ? DeviceReader(client: client, database: options.database) : nil,
            scope,
            options.tokens
        )
        var clients: Set<ExactName>?
        if case .clients(let names) = scope { clients = names }
        said = SaidLookUp(client: client, database: options.database, clients: clients?.sortedTexts)
        posted = owners.map { [clients] owners in
            return PostedLookUp(
                client: client,
                database: options.database,
                scope: CampaignStore.Scope(clients: clients, unnamed: owners.unnamed),
                ofServices: owners.ofServices
            )
        }
        self.client = client
        self.helpers = helpers
        self.options = options
        self.scope = scope
        self.retry = retry
        self.rejections = rejections
        // What lanes and dispatchers do is about the whole installation, and so are its commands.
        audience = scope == .all ? .operators : .client(access)
    }

    /// What is known of one notification.
    ///
    /// - Parameter id: its apns-id, as it was sent or given.
    /// - Returns: the stories of the records that have it; without any, the batch of that name, if there is one; none if
    ///   nothing is known of it.
    /// - Throws: what the log cannot be read for.
    package func notification(_ id: NotificationID) throws(MongoError) -> NotificationStories {
        let records = try reader.page(DeliveryQuery(id: id)).records
        var unseen: [String] = []
        var glance: RejectedGlance?
        if records.isEmpty {
            let look = rejections()
            glance = try? look?.get()
            if try isBatch(id.description, look) {
                let batch = try batch(id.description, withParts: false, look)
                return NotificationStories(notifications: [], batch: batch, next: batch.next)
            }
            unseen = StoryAdvice.unseen(look, audience)
        }
        var stories: [NotificationStory] = []
        let present = present(
            of: records,
            published: id.messageTime(by: WallClock.milliseconds()),
            waiting: glance?.waiting
        )
        let taker = eventTaker(for: records)
        let receipts = receipts(of: records)
        let families = families(of: records)
        let fuses = fuses(of: records)
        let storms = TokenStorms(of: records, client: client, database: database)
        for record in records {
            stories.append(
                story(
                    of: record,
                    present: present,
                    receipts: receipts,
                    families: families,
                    fuses: fuses,
                    storms: storms,
                    registry: registry.steps(of: record),
                    eventTaker: taker
                )
            )
        }
        var campaign = PostedSentences()
        if let batch = records.first?.batchID, let posted { campaign = PostedSentences(of: batch, posted) }
        return NotificationStories(
            notifications: stories,
            now: campaign.found + sentLater(records) + present.sentences + unseen,
            next: audience.understands(campaign.next) + (stories.first?.next ?? [])
                + (stories.isEmpty ? present.next + StoryAdvice.nothingFound(of: .notification(id), audience) : [])
        )
    }

    /// That records were sent though their batch was cancelled, because they say that they were published after the order.
    private func sentLater(_ records: [LoggedDelivery]) -> [String] {
        guard records.contains(where: StoryAdvice.wasPushed) else { return [] }
        let orders = try? OrderReader(client: client, database: database).orders()
        let seen = (orders?.cancelled ?? []).filter { scope.includes(client: $0.client) }
        guard !seen.isEmpty else { return [] }
        let audiences = audienceRecords(of: records)
        return records.compactMap { StoryAdvice.sentLater($0, than: seen, audiences[$0.batchID ?? ""] ?? []) }
    }

    /// Whether an id is one of the front door, or of a rejected message: the name of a batch, whose deliveries have ids of their own.
    ///
    /// What may not be read is not there, as for any other id.
    private func isBatch(_ name: String, _ look: RejectedGlance.Outcome?) throws(MongoError) -> Bool {
        if let glance = try? look?.get(), !glance.messages(of: name, scope).isEmpty { return true }
        if ((try? said.notification(name)) ?? nil) != nil { return true }
        if let posted, ((try? posted.notification(name)) ?? nil) != nil { return true }
        let audiences = try? AudienceStore(client: client, database: database).records(named: name)
        if audiences?.contains(where: { scope.includes(client: $0.client) }) == true { return true }
        let query = DeliveryQuery(batch: BatchName(name), limit: 1)
        return try !reader.page(query).records.isEmpty
    }

    /// What is known of one device.
    ///
    /// - Parameter token: the whole token, in lower-case hexadecimal digits.
    /// - Returns: its newest notifications, and what the registry says; no notifications if nothing is recorded.
    /// - Throws: what the log cannot be read for.
    package func token(_ token: [UInt8]) throws(MongoError) -> TokenStory {
        let page = try reader.page(DeliveryQuery(deviceToken: token[...], limit: Self.mostNotifications))
        let registry = registry.steps(of: token)
        let present = present(of: page.records, isDevice: true)
        let taker = eventTaker(for: page.records)
        let receipts = receipts(of: page.records)
        let families = families(of: page.records)
        let fuses = fuses(of: page.records)
        let storms = TokenStorms(of: page.records, client: client, database: database)
        let stories = page.records.enumerated().map { place, record in
            let replacement = NotificationStory.replacement(of: record, in: page.records.prefix(place))
            return story(
                of: record,
                replacement: replacement,
                present: present,
                receipts: receipts,
                families: families,
                fuses: fuses,
                storms: storms,
                registry: registry,
                eventTaker: taker
            )
        }
        return TokenStory(
            notifications: stories,
            hasMore: page.next != nil,
            registry: registry,
            now: present.sentences,
            next: stories.first?.next ?? present.next + StoryAdvice.nothingFound(of: .token(token), audience)
        )
    }

    var database: String { options.database }

    private func story(
        of record: LoggedDelivery,
        replacement: StoryStep? = nil,
        present: Present,
        receipts all: Result<[ReceiptSubject: [DeliveryReceipt]], MongoError>,
        families: Result<FamilyFindings, MongoError>,
        fuses: Result<FuseFindings, MongoError>,
        storms: TokenStorms,
        registry: [StoryStep],
        eventTaker: EventTaker
    ) -> NotificationStory {
        let receipts = record.receiptSubject.flatMap { (try? all.get())?[$0] } ?? []
        let provider = ProviderName(ofRecord: record.provider)
        let verdict = record.verdict
        let fate = verdict.flatMap { _ in (try? fuses.get())?.fate(of: record) }
        // A person's decision, or a fuse that has blown, says more than a storm.
        let doubt = fate == nil ? storms.doubt(of: record) : nil
        // What the provider's word asks for is in doubt, too.
        let isDoubtful = fate?.isDoubt == true || doubt != nil
        let advice =
            isDoubtful ? nil : record.reason.flatMap { provider.advice(recorded: record.outcome, reason: $0) }
        var steps = NotificationStory.steps(of: record, provider: provider.title)
        if let due = RetryTime(of: record, policy: retry, provider: provider) {
            steps.append(due.step(now: WallClock.milliseconds()))
        }
        if let replacement { steps.append(replacement) }
        steps += receipts.map { StoryStep($0) }
        if case .failure(let error) = all {
            steps.append(StoryStep(.receipt, date: nil, text: "not readable: \(error)"))
        }
        switch families {
        case .success(let findings): if let step = findings.step(of: record) { steps.append(step) }
        case .failure(let error): steps.append(StoryStep(.repeats, date: nil, text: "not readable: \(error)"))
        }
        var repeats: [String] = []
        if let batch = record.batchID, (try? families.get())?.isUnderWay(record) == true {
            repeats = StoryAdvice.next(ofRepeated: batch, audience)
        }
        if let verdict {
            steps.append(StoryStep(.event, date: record.date, text: StoryAdvice.event(verdict)))
            if case .failure(let error) = fuses {
                steps.append(StoryStep(.fuse, date: nil, text: "not readable: \(error)"))
            }
        }
        if let fate { steps.append(StoryAdvice.step(of: fate, record, audience)) }
        steps += registry
        steps.append(NotificationStory.expiry(of: record))
        return NotificationStory(
            record: record,
            steps: steps,
            receipts: receipts,
            meaning: DeliveryExplanation.text(record, provider: provider.title, advice: advice),
            next: StoryAdvice.next(
                of: record,
                verdict: verdict,
                obstacles: present.obstacles,
                openLanes: present.openLanes,
                registry: registry,
                eventTaker: eventTaker,
                fuse: fate,
                doubt: doubt,
                hasArrived: !receipts.isEmpty,
                reader: audience
            ) + repeats
        )
    }
}
