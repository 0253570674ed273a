import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillDeliveryLog
import WaybillEncoding
import WaybillMongo
import WaybillNotifications
import WaybillSettings
import WaybillThreads

/// Notifications for those whom they were for, and for those who have sent them.
struct NoticeList: Sendable {
    let parts: NoticeParts

    private static let customary = 50
    private static let most = 200

    // MARK: - One

    private struct Found: Sendable {
        let record: NotificationRecord
        let receipt: Receipt?
        let tally: NoticeTally
        /// Whether the reader may know how many people and devices a service has.
        let seesCounts: Bool
    }

    /// 404 also for one that is none of theirs.
    func show(_ request: PersonRequest, _ reader: NoticeReader) async throws -> Response {
        let included = try request.query.list("include")
        guard included.allSatisfy({ $0 == NoticeForm.deliveries }) else {
            throw Problem(.badRequest, "include is \(NoticeForm.deliveries)")
        }
        let (parts, id, services) = (parts, try request.named(), try parts.requireServices())
        try Self.requireScope(reader)
        let found = try await parts.door.ask(parts.door.people, request.context) {
            client throws(MongoError) -> Found? in
            let notifications = NotificationReader(client: client, database: parts.door.database)
            guard let record = try notifications.notification(id) else { return nil }
            var (receipt, isOfService): (Receipt?, Bool) = (nil, true)
            switch reader {
            case .key(let grant):
                guard grant.service.id == record.service else { return nil }
            case .person(let person):
                receipt = try notifications.receipt(id, of: person.account.id)
                let role = try Self.role(of: person, in: record.service, parts.door.database, client)
                guard receipt != nil || role != nil else { return nil }
                // On whose phones it was, and on how many, is for those who have it to answer for.
                isOfService = role.map { $0 >= .manager } ?? false
            }
            let tally = try NoticeTally.ask(
                record,
                client: services.client,
                options: parts.log,
                withDeliveries: !included.isEmpty && isOfService,
                client
            )
            return Found(record: record, receipt: receipt, tally: tally, seesCounts: isOfService)
        }
        guard let found = try found.mapError({ Problem(asking: $0) }).get() else {
            throw Problem(.notFound, "there is no such notification")
        }
        var json = JSONWriter(capacity: 2048)
        json.beginObject()
        NoticeJSON.members(found.record, found.receipt, to: &json)
        NoticeJSON.state(found.record, found.tally, to: &json)
        if found.seesCounts { NoticeJSON.counts(found.record, found.tally, to: &json) }
        if let deliveries = found.tally.deliveries { NoticeJSON.list(deliveries, to: &json) }
        json.endObject()
        return Response.json(json.bytes)
    }

    private static func requireScope(_ reader: NoticeReader) throws(Problem) {
        guard case .key(let grant) = reader, !grant.scopes.contains(.read) else { return }
        throw Problem(.forbidden, "this key has not the scope \(ServiceKeyScope.read.rawValue)")
    }

    private static func role(
        of person: Person,
        in service: String,
        _ database: String,
        _ client: MongoClient
    ) throws(MongoError) -> ServiceRole? {
        do throws(ServiceProblem) {
            return try ServiceReader(client: client, database: database)
                .authorise(person.account.id, .read, service).membership.role
        } catch {
            if case .store(let error) = error { throw error }
            return nil
        }
    }

    // MARK: - Many

    private struct Page: Sendable {
        var entries: [(NotificationRecord, Receipt?)]
        var next: NotificationPlace?
    }

    /// The latest first, for a person of all services or of one; for a key, of its service.
    func list(_ request: PersonRequest, _ reader: NoticeReader) async throws -> Response {
        let limit = try DeliveryFilters.number("limit", request.query, in: 1...Self.most) ?? Self.customary
        let service = try request.query.value("service")
        let unread = try request.query.value("unread")
        guard unread == nil || unread == "true" else { throw Problem(.badRequest, "unread is true, or not there") }
        try Self.requireScope(reader)
        if case .key = reader, service != nil || unread != nil {
            throw Problem(.badRequest, "service and unread are for people: a key lists what its own service has said")
        }
        // A cursor is of its reader and its search: another one cannot go on with it.
        let search = "\(reader.party) \(service ?? "") \(unread ?? "")"
        let seal = try await parts.cursors.ready(until: request.context.deadline, for: reader.party)
        let place = try request.query.value("cursor").map { cursor throws(Problem) in
            guard let place = seal.place(cursor, of: search) else {
                throw Problem.refused(
                    .forgedCursor,
                    "the cursor is none of this server, or of another search; only limit may differ"
                )
            }
            return place
        }
        let parts = parts
        let found = try await parts.door.ask(parts.door.people, request.context) { client throws(MongoError) -> Page in
            let notifications = NotificationReader(client: client, database: parts.door.database)
            switch reader {
            case .key(let grant):
                let page = try notifications.page(ofService: grant.service.id, after: place, limit: limit)
                return Page(entries: page.records.map { ($0, nil) }, next: page.next)
            case .person(let person):
                let query = ReceiptPage.Query(
                    account: person.account.id,
                    service: service,
                    unreadOnly: unread != nil
                )
                let page = try notifications.page(query, after: place, limit: limit)
                return Page(entries: page.entries.map { ($0.notification, $0.receipt) }, next: page.next)
            }
        }
        let page = try found.mapError { Problem(asking: $0) }.get()
        return Self.answer(page, next: page.next.map { seal.cursor($0, of: search) }, request, limit: limit)
    }

    private static func answer(_ page: Page, next: String?, _ request: PersonRequest, limit: Int) -> Response {
        var json = JSONWriter(capacity: 512 * (page.entries.count + 1))
        json.beginObject()
        json.beginArray("data")
        for (record, receipt) in page.entries {
            json.beginObject()
            NoticeJSON.members(record, receipt, to: &json)
            json.endObject()
        }
        json.endArray()
        json.member("next", next)
        json.endObject()
        return Response.json(json.bytes)
    }
}
