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
        let device = try request.body.value("device")
        let now = WallClock.milliseconds()
        let asked = try await door.ask(door.people, request.context) {
            client throws(MongoError) -> (receipt: Receipt, isNew: Bool)? in
            let writer = ReceiptWriter(client: client, database: door.database)
            guard let (receipt, isNew) = try writer.note(mark, id, by: account, now: now) else { return nil }
            if isNew {
                try AccountEventWriter(client: client, database: door.database)
                    .append([AccountEvent(mark, receipt, at: now)])
            }
            return (receipt, isNew)
        }
        guard let found = try asked.mapError({ Problem(asking: $0) }).get() else {
            throw Problem(.notFound, "there is no such notification")
        }
        let receipt = found.receipt
        if found.isNew, mark == .acknowledged { parts.sender?.tellWebhooks() }
        // Also by acknowledging, if it was not read before.
        if found.isNew, receipt.readAt == now, receipt.suppressed == nil {
            parts.sender?.tell(
                ReadPush(
                    .one(id: receipt.notification, service: receipt.service),
                    by: account,
                    except: device
                ),
                as: receipt.notification
            )
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
        let (door, account, now) = (parts.door, person.account.id, WallClock.milliseconds())
        let (service, device, last) = try NoticeForm.reading(request.body, now: now)
        let found = try await door.ask(door.people, request.context) { client throws(MongoError) -> Int in
            let count = try ReceiptWriter(client: client, database: door.database)
                .readAll(of: account, service: service, until: last, now: now)
            if count > 0 {
                try AccountEventWriter(client: client, database: door.database)
                    .append([AccountEvent(readingAll: account, service: service, until: last, at: now)])
            }
            return count
        }
        let count = try found.mapError { Problem(asking: $0) }.get()
        if count > 0 {
            parts.sender?.tell(
                ReadPush(.all(service: service, until: last), by: account, except: device)
            )
        }
        var json = JSONWriter()
        json.beginObject()
        json.member("read", count)
        json.endObject()
        return Response.json(json.bytes)
    }
}
