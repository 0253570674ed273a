import Foundation
import Testing
import WaybillAMQP
import WaybillMessages
import WaybillMongo
import WaybillThreads

@testable import WaybillHTTPAPI

extension NotifireNotifyTests {
    /// The thesis' queues, declared as it declares them: durable, on the default exchange.
    @Test func theThesisQueueIsReadAndWritten() async throws {
        let name = "thesis-" + String(UInt64.random(in: .min ... .max), radix: 16)
        let (read, write) = (name + "-read", name + "-write")
        try await run(readQueue: read, writeQueue: write) { rig in
            // Out: what /notify takes is there as the thesis has it, and nothing goes to the dispatchers.
            let body = #"{"serviceKey":"\#(rig.key)","level":3,"body":"Out \/","url":"https:\/\/e.example"}"#
            #expect(try await rig.notify(body).status == 204)
            let out = try #require(try rig.connection.get(queue: write))
            let json = try #require(JSONSerialization.jsonObject(with: Data(out.body)) as? [String: Any])
            #expect(Set(json.keys) == ["uid", "datetime", "sid", "request"])
            #expect((json["uid"] as? String, json["sid"] as? String) == ("acc_anna", rig.service))
            let request: NSDictionary = [
                "serviceKey": rig.key, "level": 3, "body": "Out /", "url": "https://e.example",
            ]
            #expect(json["request"] as? NSDictionary == request)
            #expect(try rig.messages().isEmpty)
            let stored = try #require(try rig.api.documents("notifications").first)
            #expect(stored["queue"]?.string == write)

            // In: the same message, twice, is one notification; what is none is rejected with the reason.
            for _ in 0..<2 { try rig.put(out.body, in: read) }
            try rig.put(Array(#"{"uid":"acc_anna"}"#.utf8), in: read)
            let foreign = String(decoding: out.body, as: UTF8.self).replacing("acc_anna", with: "acc_eve")
            try rig.put(Array(foreign.utf8), in: read)
            var rejected: [AMQPDelivery] = []
            try await rig.eventually {
                if let delivery = try rig.connection.get(queue: rig.queues.rejected) { rejected.append(delivery) }
                return rejected.count == 2
            }
            let reasons = rejected.map { $0.properties[header: "x-waybill-reason"]?.text ?? "" }
            #expect(reasons == ["missing_field", "unknown_user"])
            #expect(rejected.allSatisfy { $0.properties[header: "x-waybill-queue"]?.text == read })
            #expect(rejected.last?.body == Array(foreign.utf8))
            try await rig.eventually { try rig.connection.inspectQueue(read).messages == 0 }
            let messages = try rig.messages()
            #expect(messages.count == 1)
            let message = try #require(
                JSONSerialization.jsonObject(with: Data(messages.first?.body ?? [])) as? [String: Any]
            )
            #expect(message["service_id"] as? String == rig.service)
            let payload = try #require(message["payload"] as? [String: Any])
            #expect((payload["notification"] as? [String: Any])?["datetime"] as? String == json["datetime"] as? String)
            let documents = try rig.api.documents("notifications")
            #expect(documents.count == 2)
            let taken = documents.first { $0["_id"]?.string == message["batch_id"] as? String }
            #expect(taken != nil && taken?["queue"] == nil)
            try await rig.eventually {
                try rig.api.documents("notifications").allSatisfy { $0["state"]?.string == "sent" }
            }
        }
    }

    /// As by `/notify`: what is more than the service may say is kept with the reason, and can be put back.
    @Test func aServiceThatFloodsTheQueueIsHeldToItsLimit() async throws {
        let read = "thesis-" + String(UInt64.random(in: .min ... .max), radix: 16)
        try await run(limit: 2, readQueue: read) { rig in
            func message(_ text: String) -> [UInt8] {
                let head = #"{"uid":"acc_anna","sid":"\#(rig.service)","datetime":"2026-11-21T04:05:06.789Z","#
                return Array((head + #""request":{"level":3,"body":"\#(text)"}}"#).utf8)
            }
            // One that comes again is the same notification, and counts once.
            for text in ["first", "first", "second", "third", "second", "fourth"] {
                try rig.put(message(text), in: read)
            }
            var rejected: [AMQPDelivery] = []
            try await rig.eventually {
                if let delivery = try rig.connection.get(queue: rig.queues.rejected) { rejected.append(delivery) }
                return rejected.count == 2
            }
            #expect(rejected.map(\.body) == [message("third"), message("fourth")])
            #expect(rejected.allSatisfy { $0.properties[header: "x-waybill-reason"]?.text == "rate_limited" })
            var handedOver = 0
            try await rig.eventually {
                handedOver += try rig.messages().count
                return handedOver >= 2
            }
            #expect(try handedOver == 2 && rig.connection.inspectQueue(read).messages == 0)
            #expect(try rig.api.documents("notifications").count == 2)
        }
    }

    /// What was stored for the thesis' sender and not handed over goes there as a whole, too: the store has no key.
    @Test func whatWasNotHandedOverIsWrittenAsAWhole() async throws {
        let write = "thesis-" + String(UInt64.random(in: .min ... .max), radix: 16)
        try await run(writeQueue: write) { rig in
            try rig.connection.deleteQueue(write)
            #expect(try await rig.notify(rig.body(3)).status == 503)
            let document = try #require(try rig.api.documents("notifications").first)
            let kept = (document["messages"]?.elements ?? []).compactMap(\.string)
            #expect(kept.count == 1 && !kept.contains { $0.contains(rig.key) })
            _ = try rig.connection.declareQueue(write)
            var found: AMQPDelivery?
            try await rig.eventually {
                found = try rig.connection.get(queue: write)
                return found != nil
            }
            let json = try JSONSerialization.jsonObject(with: Data(found?.body ?? [])) as? [String: Any]
            #expect((json?["request"] as? [String: Any])?["serviceKey"] as? String == rig.key)
        }
    }
}
