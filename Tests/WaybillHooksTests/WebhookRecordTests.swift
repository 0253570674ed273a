import Foundation
import Testing
import WaybillCore
import WaybillDeliveryLog
import WaybillMongo

@testable import WaybillHooks
@testable import WaybillOutbox

/// What is told of a record.
@Suite("Events of records")
struct WebhookRecordTests {
    private func record(_ outcome: String, more: (BSONWriter) -> Void = { _ in }) -> LoggedDelivery {
        LoggedDelivery(
            document: BSONDocument { writer in
                writer.append("_id", uuid: 0x0191_0000_0000_8000, 0x8000_0000_0000_0001)
                writer.append("outcome", string: outcome)
                writer.append("date", date: 1_700_000_000_000)
                writer.append("client", string: "acme")
                writer.append("device_token", string: "ab12")
                more(writer)
            }
        )
    }

    @Test(
        "which",
        arguments: [
            ("accepted", [.accepted]), ("rejected", [.rejected]), ("token_invalid", [.rejected, .deviceInvalid]),
            ("invalid", [.invalid]), ("expired", [.expired]), ("unknown", [.unknown]), ("cancelled", [.cancelled]),
            ("superseded", [.superseded]), ("deferred", []), ("something newer", []),
        ] as [(String, [WebhookEventType])]
    )
    func types(outcome: String, types: [WebhookEventType]) {
        #expect(WebhookEventType.types(of: record(outcome)) == types)
    }

    /// What a device has said, of a repeat: the client hears whose it is.
    @Test(arguments: [(WebhookOwner.client("acme"), "notification"), (.service("s"), "delivery")])
    func aReceiptIsTold(owner: WebhookOwner, name: String) throws {
        let first = NotificationID(high: 3, low: 4)
        let record = record("accepted") { writer in
            writer.append("batch_id", string: "fire.2")
            writer.append("service_id", string: "s")
            writer.append("family") { family in
                family.append("first", uuid: first.high, first.low)
                family.append("number", int: 2)
                family.append("of", int: 5)
            }
        }
        let id = try #require(record.id)
        let receipt = DeliveryReceipt(id: id, event: .acknowledged, receivedAt: 1_700_000_005_000, app: "1.2")
        let event = WebhookEvent(receipt, of: record, for: owner)
        let body = try #require(try JSONSerialization.jsonObject(with: Data(event.body.utf8)) as? [String: Any])
        let data = try #require(body["data"] as? [String: Any])
        #expect(body["type"] as? String == "notification.acknowledged")
        #expect(data[name] as? String == "\(id)" && data["family"] as? String == "\(first)")
        #expect(data["app"] as? String == "1.2" && data["sequence"] == nil)
        #expect(record.owners.contains(owner))
        let again = WebhookEvent(receipt, of: record, for: owner)
        #expect(again.id == event.id)
        var other = receipt
        other.event = .opened
        #expect(WebhookEvent(other, of: record, for: owner).id != event.id)
    }

    @Test func aTokenIsToldByItsDigest() throws {
        let record = record("token_invalid") { writer in
            writer.append("reason", string: "Unregistered")
            writer.append("status", int: 410)
        }
        let event = try #require(
            WebhookEvent(.deviceInvalid, of: record, for: .client("acme"), sequence: 3, hasPlainTokens: true)
        )
        #expect(event.id.hasPrefix("evt_") && event.id.count == 36)
        let body = try #require(try JSONSerialization.jsonObject(with: Data(event.body.utf8)) as? [String: Any])
        let data = try #require(body["data"] as? [String: Any])
        #expect(body["type"] as? String == "device.invalid")
        #expect(data["sequence"] as? Int == 3 && data["client"] as? String == "acme")
        #expect(data["reason"] as? String == "Unregistered")
        // printf ab12 | sha256sum
        let digest = "59d937723564937cd1441370c7c7cd9f669f93253dcfab8c50affad3b18d645e"
        #expect(data["token_sha256"] as? String == digest)
        #expect(!event.body.contains("ab12"))
        let again = try #require(
            WebhookEvent(.deviceInvalid, of: record, for: .client("acme"), sequence: nil, hasPlainTokens: false)
        )
        #expect(again.id == event.id && !again.body.contains("token_sha256"))
        let other = try #require(
            WebhookEvent(.rejected, of: record, for: .client("acme"), sequence: 4, hasPlainTokens: true)
        )
        #expect(other.id != event.id && other.body.contains(#""outcome":"token_invalid""#))
    }

    /// Who has both kinds of endpoints hears of two events, each under its own id.
    @Test func aServiceHearsOfItsOwn() throws {
        let service = "5e41ab4e-0000-4000-8000-000000000001"
        let record = record("accepted") { writer in
            writer.append("service_id", string: service)
            writer.append("batch_id", string: "0191-n.2")
        }
        #expect(record.owners == [.client("acme"), .service(service)])
        let ofService = try #require(
            WebhookEvent(.accepted, of: record, for: .service(service), sequence: 1, hasPlainTokens: true)
        )
        let ofClient = try #require(
            WebhookEvent(.accepted, of: record, for: .client("acme"), sequence: 9, hasPlainTokens: true)
        )
        #expect(ofService.id != ofClient.id)
        let body = try #require(try JSONSerialization.jsonObject(with: Data(ofService.body.utf8)) as? [String: Any])
        let data = try #require(body["data"] as? [String: Any])
        #expect(data["service"] as? String == service && data["client"] == nil)
        let delivery = "\(try #require(record.id))"
        #expect(data["notification"] as? String == "0191-n" && data["delivery"] as? String == delivery)
        #expect(self.record("accepted").owners == [.client("acme")])
    }

    @Test(
        "what tells phones that something was read is nothing that a service has said",
        arguments: [
            ("0191-n.read", false), ("0191-n.read.2", false), ("0191-n", true), ("0191-n.2", true),
            ("0191-n.reads", true),
        ]
    )
    func readPushes(batch: String, isTold: Bool) {
        let service = "5e41ab4e-0000-4000-8000-000000000001"
        let record = record("accepted") { writer in
            writer.append("service_id", string: service)
            writer.append("batch_id", string: batch)
        }
        #expect(record.owners == [.client("acme")] + (isTold ? [.service(service)] : []))
    }
}
