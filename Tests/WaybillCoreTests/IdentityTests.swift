import TLS
import Testing
import WaybillAPNS
import WaybillCore

/// `schemas/test-vectors.json`, which `scripts/check-schemas.py` computes on its own.
struct IdentityTests {
    struct Vectors: Decodable {
        struct ID: Decodable {
            let name: String
            let batchId: String
            let amqpTimestamp: Int64?
            let messageId: String?
            let index: Int
            let milliseconds: UInt64?
            let apnsId: String

            var properties: MessageProperties {
                MessageProperties(messageID: messageId, timestampMilliseconds: amqpTimestamp.map { $0 * 1000 })
            }
        }

        struct Collapse: Decodable {
            let name: String
            let deviceToken: String
            let message: String?
            let payload: String?
            let collapseId: String
        }

        let apnsId: [ID]
        let collapseId: [Collapse]
    }

    @Test func derivedIDs() throws {
        let vectors = try SchemaFiles.vectors(Vectors.self).apnsId
        #expect(vectors.count >= 8)
        for vector in vectors {
            let milliseconds = MessageTime.milliseconds(of: vector.properties)
            #expect(milliseconds == vector.milliseconds, "\(vector.name)")
            var identity = NotificationIdentity(batchID: vector.batchId, milliseconds: milliseconds)
            // Another position first: the ids do not depend on what was asked before.
            _ = identity.id(at: 12345)
            #expect(identity.id(at: vector.index).description == vector.apnsId, "\(vector.name)")
        }
    }

    /// Through the decoder, as the messages of a delayed retry bring them.
    @Test func derivedIDsOfMessages() throws {
        for vector in try SchemaFiles.vectors(Vectors.self).apnsId {
            var properties = vector.properties
            properties.retry = RetryHeader(attempt: 2, indexes: [vector.index])
            let batch = try Samples.decode(
                "{\"batch_id\":\"\(vector.batchId)\",\"message\":\"x\",\"device_tokens\":[\"0f\"]}",
                properties
            )
            #expect(batch.items[0].index == vector.index)
            #expect(batch.items[0].valid?.apnsID.description == vector.apnsId, "\(vector.name)")
        }
    }

    @Test func collapseIDs() throws {
        let vectors = try SchemaFiles.vectors(Vectors.self).collapseId
        #expect(vectors.count >= 5)
        for vector in vectors {
            let content = vector.payload.map { "\"payload\":\($0)" } ?? "\"message\":\"\(vector.message ?? "")\""
            let item = try Samples.notification(content, token: vector.deviceToken)
            guard case .digest(let digest)? = item.valid?.collapseID else {
                Issue.record("\(vector.name): no digest")
                continue
            }
            #expect(digest.hexadecimal == vector.collapseId, "\(vector.name)")
        }
    }

    @Test(
        arguments: [
            (MessageProperties(), nil),
            (MessageProperties(timestampMilliseconds: 0), 0),
            (MessageProperties(timestampMilliseconds: -1), nil),
            (MessageProperties(timestampMilliseconds: 1 << 48), nil),
            (MessageProperties(messageID: "not a uuid"), nil),
            // The layout of version 7 with the variant of another standard.
            (MessageProperties(messageID: "0192f0c1-2345-7abc-cdef-0123456789ab"), nil),
            (MessageProperties(messageID: "0192F0C1-2345-7ABC-8DEF-0123456789AB"), 0x0192_f0c1_2345),
        ] as [(MessageProperties, UInt64?)]
    )
    func messageTime(properties: MessageProperties, expected: UInt64?) {
        #expect(MessageTime.milliseconds(of: properties) == expected)
    }

    @Test func batchNames() throws {
        let body = "[{\"device_token\":\"0f\",\"message\":\"x\"}]"
        #expect(try Samples.decode(body, MessageProperties(messageID: "m-1")).id == "m-1")
        let named = "{\"batch_id\":\"b-\\u0031\",\"message\":\"x\",\"device_tokens\":[\"0f\"]}"
        #expect(try Samples.decode(named, MessageProperties(messageID: "m-1")).id == "b-1")
        // SHA-256 of the body; a message id that cannot be a name counts as absent.
        let digest = "efccd9ad9015"
        for id in [nil, "", "a\nb", String(repeating: "x", count: 256)] {
            #expect(try Samples.decode(body, MessageProperties(messageID: id)).id.hasPrefix(digest))
        }
    }
}
