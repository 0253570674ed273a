package import WaybillCore
package import WaybillDeliveryLog
import WaybillDeviceRegistry
import WaybillFleet
package import WaybillMongo
import WaybillNotifications
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
    private static let mostDevices = 20

    let reader: DeliveryLogReader
    private let registry: DeviceReader?
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
    private let holdsDigests: Bool

    /// - Parameters:
    ///   - client: the store.
    ///   - options: where log and registry are, and how the log holds tokens.
    ///   - scope: whose records and devices are told of.
    ///   - readsRegistry: whether the registry is asked.
    ///   - helpers: who may help with a large batch; `nil` for nobody.
    ///   - retry: the dispatchers' delay queues, as the configuration has them.
    ///   - postedClient: whose campaigns and notifications in the store are that do not say so; `nil` where they are not told of.
    ///   - access: what whoever asks may ask the HTTP API for, with a key for some clients.
    ///   - rejections: asked for a batch what lies in the rejected queue; `nil` where nobody is to be told of it.
    package init(
        client: MongoClient,
        options: DeliveryLogOptions,
        scope: DeliveryScope,
        readsRegistry: Bool = true,
        helpers: BatchHelpers? = nil,
        retry: RetryPolicy = RetryPolicy(),
        postedClient: String? = nil,
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
        registry = readsRegistry ? DeviceReader(client: client, database: options.database) : nil
        var clients: Set<String>?
        if case .clients(let names) = scope { clients = Set(names) }
        said = SaidLookUp(client: client, database: options.database, clients: clients?.sorted())
        posted = postedClient.map { [clients] unnamed in
            return PostedLookUp(
                client: client,
                database: options.database,
                scope: CampaignStore.Scope(clients: clients, unnamed: unnamed)
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
        holdsDigests = if case .digest = options.tokens { true } else { false }
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
        var present = present(of: records, published: id.messageTime(by: WallClock.milliseconds()))
        if audience.isOperator, let glance {
            present.obstacles += SendingNow(client: client, database: database).unread(glance.waiting.consumed)
        }
        let taker = eventTaker(for: records)
        let receipts = receipts(of: records)
        let families = families(of: records)
        for record in records {
            stories.append(
                story(
                    of: record,
                    present: present,
                    receipts: receipts,
                    families: families,
                    registry: registrySteps(of: record),
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
        return records.compactMap { StoryAdvice.sentLater($0, than: seen) }
    }

    /// Whether an id is one of the front door, or of a rejected message: the name of a batch, whose deliveries have ids of their own.
    ///
    /// What may not be read is not there, as for any other id.
    private func isBatch(_ name: String, _ look: RejectedGlance.Outcome?) throws(MongoError) -> Bool {
        if let glance = try? look?.get(), !glance.messages(of: name, scope).isEmpty { return true }
        if ((try? said.notification(name)) ?? nil) != nil { return true }
        if let posted, ((try? posted.notification(name)) ?? nil) != nil { return true }
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
        let registry = registrySteps(token)
        let present = present(of: page.records, isDevice: true)
        let taker = eventTaker(for: page.records)
        let receipts = receipts(of: page.records)
        let families = families(of: page.records)
        let stories = page.records.enumerated().map { place, record in
            let replacement = NotificationStory.replacement(of: record, in: page.records.prefix(place))
            return story(
                of: record,
                replacement: replacement,
                present: present,
                receipts: receipts,
                families: families,
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

    /// What keeps notifications from being sent now, where one of them is not final, or none is recorded.
    struct Present {
        var obstacles: [Obstacle] = []
        var openLanes: Set<String> = []
        var underWay: [String] = []
        /// Whether it may be in the hands of a dispatcher.
        var mayBeInHand = false

        var sentences: [String] { obstacles.map(\.text) + underWay }
        /// What to do: where nothing can be done against what keeps it, that nothing has to be.
        var next: [String] {
            let remedies = obstacles.remedies
            return remedies.isEmpty && mayBeInHand ? [SendingNow.nothingToDoYet] : remedies
        }
    }

    /// What keeps records from being sent that are not final; of a device's, which may have been sent more, what has no answer.
    private func present(
        of records: [LoggedDelivery],
        isDevice: Bool = false,
        published: Int64? = nil
    ) -> Present {
        let deferred = records.filter { $0.outcome == Outcome.deferred.rawValue }
        guard records.isEmpty || !deferred.isEmpty else {
            guard isDevice, audience.isOperator else { return Present() }
            let lanes = Set(records.compactMap(\.lane))
            let unanswered = SendingNow(client: client, database: database).unanswered(lanes: lanes)
            return Present(underWay: unanswered.isEmpty ? [] : unanswered + [Self.newerOne])
        }
        let due = deferred.compactMap { record in
            RetryTime(of: record, policy: retry, provider: ProviderName(ofRecord: record.provider)).map {
                (lane: record.lane, by: $0.latest)
            }
        }
        return present(
            SendingNow(client: client, database: database),
            lanes: Self.lanes(deferred.map(\.lane)),
            unrecorded: records.isEmpty ? .all : .nothing,
            published: PublishedTimes(
                unrecorded: records.isEmpty ? published : nil,
                lanes: Dictionary(
                    deferred.compactMap { record in record.lane.map { ($0, record.messageTime ?? record.date) } },
                    uniquingKeysWith: min
                )
            ),
            due: due
        )
    }

    private static let newerOne =
        "One of this device may be among them, which has no record before it is answered or given up."

    /// What keeps from being sent, as far as it is the business of who asks.
    ///
    /// - Parameters:
    ///   - sending: what dispatchers and orders say.
    ///   - lanes: the lanes that it is about; `nil` where it may be any.
    ///   - unrecorded: what may be under way without a record.
    ///   - published: when it was published.
    ///   - due: by when the delays of what is recorded are over, in milliseconds since 1970: of what has a record, that is the one time that is told.
    /// - Returns: nothing where nothing does.
    func present(
        _ sending: SendingNow,
        lanes: Set<String>?,
        unrecorded: Unrecorded,
        published: PublishedTimes,
        due: [(lane: String?, by: Int64)] = []
    ) -> Present {
        let ends =
            unrecorded == .nothing
            ? Dictionary(due.compactMap { due in due.lane.map { ($0, due.by) } }, uniquingKeysWith: max) : [:]
        guard audience.isOperator else {
            let own = lanes ?? KnownNames(client: client, database: database, scope: scope).countedLanes
            return Present(
                obstacles: sending.obstaclesForClients(
                    lanes: own,
                    areConcerned: lanes != nil || unrecorded == .all,
                    published: published,
                    ends: ends
                ),
                openLanes: sending.openLanes.intersection(own)
            )
        }
        let obstacles = sending.obstacles(
            lanes: lanes,
            isUnrecorded: unrecorded == .all,
            published: published,
            ends: ends
        )
        let inHand = unrecorded == .nothing ? [] : sending.underWay(unrecorded)
        let unanswered = sending.unanswered(lanes: lanes, except: Set(obstacles.compactMap(\.lane)))
        return Present(
            obstacles: obstacles,
            openLanes: sending.openLanes,
            underWay: inHand.isEmpty ? [] : inHand + unanswered,
            mayBeInHand: !inHand.isEmpty
        )
    }

    /// The lanes that records are of; `nil` where it may be any.
    static func lanes(_ lanes: [String?]) -> Set<String>? {
        lanes.isEmpty || lanes.contains(nil) ? nil : Set(lanes.compactMap(\.self))
    }

    private func story(
        of record: LoggedDelivery,
        replacement: StoryStep? = nil,
        present: Present,
        receipts all: Result<[NotificationID: [DeliveryReceipt]], MongoError>,
        families: Result<FamilyFindings, MongoError>,
        registry: [StoryStep],
        eventTaker: EventTaker
    ) -> NotificationStory {
        let receipts = record.sentID.flatMap { (try? all.get())?[$0] } ?? []
        let provider = ProviderName(ofRecord: record.provider)
        let advice = record.reason.flatMap { provider.advice(recorded: record.outcome, reason: $0) }
        let verdict = verdict(of: record)
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
        }
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
                reader: audience
            ) + repeats
        )
    }

    /// What devices have said of records.
    ///
    /// Where it cannot be read, that is said in place of it: the log's part of the answer is worth having alone.
    private func receipts(of records: [LoggedDelivery]) -> Result<[NotificationID: [DeliveryReceipt]], MongoError> {
        do throws(MongoError) {
            return .success(try saidOfDevices.receipts(of: records.compactMap(\.sentID)))
        } catch {
            return .failure(error)
        }
    }

    /// What is known of records' families; as with receipts, the rest is worth having alone.
    private func families(of records: [LoggedDelivery]) -> Result<FamilyFindings, MongoError> {
        do throws(MongoError) {
            var findings = try FamilyFindings(of: records, familyReader, saidOfDevices)
            if records.contains(where: findings.isUnderWay) {
                findings.cancellations = try OrderReader(client: client, database: database).orders().cancelled
            }
            return .success(findings)
        } catch {
            return .failure(error)
        }
    }

    private func verdict(of record: LoggedDelivery) -> TokenVerdict? {
        Outcome(rawValue: record.outcome).flatMap {
            ProviderName(ofRecord: record.provider).tokenVerdict(recorded: $0, statusCode: record.statusCode)
        }
    }

    /// Who takes the events of records; the store is asked where there are any.
    private func eventTaker(for records: [LoggedDelivery]) -> EventTaker {
        guard records.contains(where: { verdict(of: $0) != nil }) else { return .unknown }
        return EventTaker(client: client, database: database)
    }

    /// What the registry says of a record's token: it cannot be asked for a token of which the log holds a digest.
    private func registrySteps(of record: LoggedDelivery) -> [StoryStep] {
        guard holdsDigests, registry != nil, record.deviceToken != nil else {
            return registrySteps(record.deviceToken.map { Array($0.utf8) })
        }
        return [
            StoryStep(.registry, date: nil, text: "not asked: the log holds digests of tokens; the whole token tells")
        ]
    }

    /// What the registry says of a token.
    ///
    /// Where it cannot be asked, that is said in place of it: the log's part of the answer is worth having alone.
    private func registrySteps(_ token: [UInt8]?) -> [StoryStep] {
        guard let registry, let token else { return [] }
        do throws(MongoError) {
            let query = DeviceQuery(token: token, clients: clients)
            let cursor = registry.devices(query, limit: Self.mostDevices)
            var steps: [StoryStep] = []
            while let device = try cursor.next() { steps.append(Self.step(device)) }
            guard steps.isEmpty else { return steps }
            return [StoryStep(.registry, date: nil, text: clients == nil ? Self.noDevice : Self.noDeviceOfClients)]
        } catch {
            return [StoryStep(.registry, date: nil, text: "not readable: \(error)")]
        }
    }

    private static let noDevice = "no device has this token"
    private static let noDeviceOfClients = "no device of your clients has this token"

    private var clients: [String]? {
        switch scope {
        case .all: nil
        case .clients(let clients): Array(clients)
        }
    }

    private static func step(_ device: Device) -> StoryStep {
        let place = [device.app, device.environment].compactMap(\.self).joined(separator: ", ")
        let text = place.isEmpty ? device.state.rawValue : "\(device.state.rawValue) for \(place)"
        return StoryStep(.registry, date: device.since, text: text, reason: device.reason)
    }
}
