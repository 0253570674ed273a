import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillEncoding
import WaybillMongo
import WaybillNotifications
import WaybillThreads

/// Reading and acknowledging: done once, it is done on all of a person's devices.
struct NoticeMarks: Sendable {
    let parts: NoticeParts

    /// Answers the receipt; the first time counts.
    ///
    /// 404 for one that is none of theirs.
    func note(_ mark: ReceiptWriter.Mark, _ request: PersonRequest, _ person: Person) async throws -> Response {
        let (door, id, account) = (parts.door, try request.named(), person.account.id)
        let now = WallClock.milliseconds()
        let found = try await door.ask(door.people, request.context) { client throws(MongoError) -> Receipt? in
            let writer = ReceiptWriter(client: client, database: door.database)
            guard let (receipt, isNew) = try writer.note(mark, id, by: account, now: now) else { return nil }
            if isNew {
                try AccountEventWriter(client: client, database: door.database)
                    .append([AccountEvent(mark, receipt, at: now)])
            }
            return receipt
        }
        guard let receipt = try found.mapError({ Problem(asking: $0) }).get() else {
            throw Problem(.notFound, "there is no such notification")
        }
        var json = JSONWriter()
        json.beginObject()
        json.member("notification", receipt.notification)
        NoticeJSON.members(receipt, to: &json)
        json.endObject()
        return Response.json(json.bytes)
    }

    /// How many were not read before: of all services, or one; until a time, or now.
    func readAll(_ request: PersonRequest, _ person: Person) async throws -> Response {
        let (door, account, service) = (parts.door, person.account.id, request.body.value("service"))
        let now = WallClock.milliseconds()
        let last = try NoticeForm.end(request.body, now: now)
        let found = try await door.ask(door.people, request.context) { client throws(MongoError) -> Int in
            let count = try ReceiptWriter(client: client, database: door.database)
                .readAll(of: account, service: service, until: last, now: now)
            if count > 0 {
                try AccountEventWriter(client: client, database: door.database)
                    .append([AccountEvent(readingAll: account, service: service, until: last, at: now)])
            }
            return count
        }
        var json = JSONWriter()
        json.beginObject()
        json.member("read", try found.mapError { Problem(asking: $0) }.get())
        json.endObject()
        return Response.json(json.bytes)
    }
}
