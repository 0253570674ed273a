import Testing
import WaybillCore
import WaybillProviders
import WaybillTLS

/// `schemas/test-vectors.json`, which `scripts/check-schemas.py` computes on its own.
struct IdentityTests {
    struct Vectors: Decodable {
        struct ID: Decodable {
            let name: String
            let batchId: String
            let amqpTimestamp: Int64?
            let messageId: String?
            let body: String
            let index: Int
            let milliseconds: UInt64?
            let digest: String
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

        struct NotificationCollapse: Decodable {
            let name: String
            let apnsId: String
            let collapseId: String
        }

        let apnsId: [ID]
        let collapseId: [Collapse]
        let collapseIdOfNotification: [NotificationCollapse]
    }

    @Test func derivedIDs() throws {
        let vectors = try SchemaFiles.vectors(Vectors.self).apnsId
        #expect(vectors.count >= 11)
        for vector in vectors {
            let milliseconds = MessageTime.milliseconds(of: vector.properties)
            #expect(milliseconds == vector.milliseconds, "\(vector.name)")
            let digest = MessageDigest(batchID: vector.batchId, body: Array(vector.body.utf8))
            #expect(digest.hexadecimal == vector.digest, "\(vector.name)")
            let identity = MessageIdentity(milliseconds: milliseconds, digest: digest)
            #expect(identity.id(at: vector.index).description == vector.apnsId, "\(vector.name)")
        }
    }

    /// Through the decoder: the producer's message, and a delayed retry, whose own body and time do not count.
    @Test func derivedIDsOfMessages() throws {
        for vector in try SchemaFiles.vectors(Vectors.self).apnsId {
            let batch = try Samples.decode(vector.body, vector.properties)
            #expect(batch.identity.digest.hexadecimal == vector.digest, "\(vector.name)")
            #expect(batch.identity.milliseconds == vector.milliseconds, "\(vector.name)")
            #expect(batch.id == vector.batchId)
            if vector.index == 0 { #expect(batch.items[0].valid?.id.description == vector.apnsId) }
            let header = RetryHeader(attempt: 2, indexes: [vector.index], identity: batch.identity)
            let retry = try Samples.decode(
                "{\"batch_id\":\"another\",\"message\":\"y\",\"device_tokens\":[\"0f\"]}",
                MessageProperties(timestampMilliseconds: 1, retry: header)
            )
            #expect(retry.items[0].index == vector.index)
            #expect(retry.items[0].valid?.id.description == vector.apnsId, "\(vector.name)")
        }
    }

    /// All ids of a message lie in one range, the spare ones too, and nobody else's do.
    @Test(arguments: [nil, 0, 1_795_000_000_000, 1 << 48 - 1] as [UInt64?])
    func oneRange(milliseconds: UInt64?) {
        let identity = MessageIdentity(milliseconds: milliseconds, digest: .random())
        let positions = [0, 1, 99_999, MessageIdentity.positionCount - 1]
        let ids = positions.map(identity.id(at:)) + positions.map(identity.spareID(at:))
        #expect(ids.allSatisfy { MessageIdentity.isOneMessage($0, identity.id(at: 0)) })
        #expect(Set(ids).count == 8)
        for id in ids {
            #expect(id.high >> 12 & 0xF == 8 && id.low >> 62 == 0b10)
            #expect(id.high == ids[0].high && id.low >> 20 == ids[0].low >> 20)
        }
        #expect(ids.map(\.low) == ids.map(\.low).sorted())
        var other = identity
        other.digest.low ^= 1 << 20
        #expect(!ids.contains { MessageIdentity.isOneMessage($0, other.id(at: 0)) })
    }

    @Test(arguments: [
        "", "0", String(repeating: "0", count: 31), String(repeating: "0", count: 33),
        String(repeating: "F", count: 32), "+" + String(repeating: "0", count: 31),
        "0x" + String(repeating: "0", count: 30), String(repeating: "ａ", count: 32),
    ])
    func unreadableDigests(text: String) {
        #expect(MessageDigest(hexadecimal: text) == nil)
    }

    @Test func digestsAsText() {
        for digest in [MessageDigest(high: 0, low: 1), MessageDigest(high: .max, low: 0), .random()] {
            #expect(digest.hexadecimal.utf8.count == 32)
            #expect(MessageDigest(hexadecimal: digest.hexadecimal) == digest)
        }
    }

    /// Different content under one name and time has different ids; so has the same content under another name.
    @Test func contentAndNameTellIDsApart() throws {
        let properties = MessageProperties(messageID: "m", timestampMilliseconds: 1_795_000_000_000)
        func id(_ message: String, name: String) throws -> NotificationID? {
            let body = "{\"batch_id\":\"\(name)\",\"message\":\"\(message)\",\"device_tokens\":[\"0f\"]}"
            return try Samples.decode(body, properties).items[0].valid?.id
        }
        #expect(try Set([id("a", name: "b"), id("c", name: "b"), id("a", name: "d")]).count == 3)
        #expect(try id("a", name: "b") == id("a", name: "b"))
    }

    @Test func collapseIDs() throws {
        let vectors = try SchemaFiles.vectors(Vectors.self).collapseId
        #expect(vectors.count >= 5)
        for vector in vectors {
            let content = vector.payload.map { "\"payload\":\($0)" } ?? "\"message\":\"\(vector.message ?? "")\""
            let item = try Samples.notification(content, token: vector.deviceToken)
            guard case .digest(let digest)? = item.valid?.collapseKey else {
                Issue.record("\(vector.name): no digest")
                continue
            }
            #expect(digest.hexadecimal == vector.collapseId, "\(vector.name)")
        }
    }

    @Test func collapseIDsOfNotifications() throws {
        let vectors = try SchemaFiles.vectors(Vectors.self).collapseIdOfNotification
        #expect(vectors.count >= 2)
        for vector in vectors {
            let members = "\"message\":\"x\",\"collapse\":\"notification\",\"apns_id\":\"\(vector.apnsId)\""
            guard case .digest(let digest)? = try Samples.notification(members).valid?.collapseKey else {
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
        #expect(try Samples.decode(body, MessageProperties(messageID: "m-1")).isNamed)
        #expect(try !Samples.decode(body).isNamed)
        let named = "{\"batch_id\":\"b-\\u0031\",\"message\":\"x\",\"device_tokens\":[\"0f\"]}"
        #expect(try Samples.decode(named, MessageProperties(messageID: "m-1")).id == "b-1")
        // SHA-256 of the body; a message id that cannot be a name counts as absent.
        let digest = "efccd9ad9015"
        for id in [nil, "", "a\nb", String(repeating: "x", count: 256)] {
            #expect(try Samples.decode(body, MessageProperties(messageID: id)).id.hasPrefix(digest))
        }
    }
}
