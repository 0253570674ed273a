import Testing
import WaybillCore

@testable import WaybillProviders

/// What an item of any provider has, read without a provider.
struct ItemReaderTests {
    /// Reads one item beside defaults.
    private static func read<Value>(
        _ members: String,
        defaults: String = "",
        commonMaxAge: Int? = nil,
        _ value: (inout ItemReader, Members) throws -> Value
    ) throws -> Value {
        let body = Array(#"{"defaults":{\#(defaults)},"notifications":[{\#(members)}]}"#.utf8)
        return try body.withUnsafeBufferPointer { bytes in
            var envelope = EnvelopeReader(bytes, maxNotifications: 1, maxDepth: 8)
            try envelope.read()
            var reader = ItemReader(
                envelope: envelope,
                bytes: bytes,
                client: nil,
                commonMaxAge: commonMaxAge,
                identity: MessageIdentity(milliseconds: 1, digest: MessageDigest(high: 2, low: 3))
            )
            return try value(&reader, envelope.drafts[0].members)
        }
    }

    @Test(
        arguments: [
            ("", "", nil), (#""priority":10"#, "", .high), (#""priority":5"#, #""priority":10"#, .normal),
            ("", #""priority":1"#, .low),
        ] as [(String, String, PriorityClass?)]
    )
    func priority(members: String, defaults: String, expected: PriorityClass?) throws {
        #expect(try Self.read(members, defaults: defaults) { try $0.priority(own: $1) } == expected)
    }

    @Test(
        arguments: [
            ("", "", nil), (#""expiration":0"#, "", .immediate), (#""expiration":null"#, "", .absent),
            (#""expiration":1800000000"#, #""expiration":null"#, .at(1_800_000_000)),
            ("", #""expiration":null"#, .absent),
        ] as [(String, String, Expiration?)]
    )
    func expiration(members: String, defaults: String, expected: Expiration?) throws {
        #expect(try Self.read(members, defaults: defaults) { try $0.expiration(own: $1) } == expected)
    }

    @Test(
        arguments: [
            ("", "", 60), (#""max_age":null"#, "", nil), (#""max_age":5"#, #""max_age":7"#, 5),
            ("", #""max_age":7"#, 7),
        ] as [(String, String, Int?)]
    )
    func maxAge(members: String, defaults: String, expected: Int?) throws {
        #expect(try Self.read(members, defaults: defaults, commonMaxAge: 60) { try $0.maxAge(own: $1) } == expected)
    }

    @Test(
        arguments: [
            ("", "", nil), (#""on_unknown":"resend""#, #""on_unknown":"record""#, .resend),
            ("", #""on_unknown":"rec\u006frd""#, .record),
        ] as [(String, String, UnknownPolicy?)]
    )
    func onUnknown(members: String, defaults: String, expected: UnknownPolicy?) throws {
        #expect(try Self.read(members, defaults: defaults) { try $0.onUnknown(own: $1) } == expected)
    }

    @Test(arguments: [
        ("", "", "the lane's"), (#""collapse":"none""#, #""collapse_id":"a""#, "none"),
        (#""collapse_id":"order-\u0034""#, #""collapse":"none""#, "key order-4"),
        ("", #""collapse":"notification""#, "notification"), (#""collapse_id":null"#, "", "no key"),
    ])
    func collapse(members: String, defaults: String, expected: String) throws {
        let choice = try Self.read(members, defaults: defaults) { reader, own in
            switch try reader.collapse(own: own, maxKeyLength: 8, "must be short") {
            case nil: "the lane's"
            case .rule(let rule)?: rule.rawValue
            case .noKey?: "no key"
            case .key(let text)?: "key " + reader.withBytes(text) { String(decoding: $0, as: UTF8.self) }
            }
        }
        #expect(choice == expected)
    }

    /// A token's form is its provider's business: case and length are left as they are.
    @Test(arguments: ["AbC:dEf_-9", "x", "ünï"])
    func tokensAreOpaque(token: String) throws {
        let read = try Self.read(#""device_token":"\#(token)""#) { reader, own in
            let text = try reader.deviceToken(of: own)
            return reader.withBytes(text) { String(decoding: $0, as: UTF8.self) }
        }
        #expect(read == token)
    }

    @Test(arguments: [
        (#""message":"x""#, "message"), (#""payload":{"a":1}"#, #"payload {"a":1}"#),
    ])
    func content(members: String, expected: String) throws {
        let content = try Self.read(members) { reader, own in
            switch try reader.content(of: own) {
            case .message: "message"
            case .payload(let text): "payload " + reader.withBytes(text) { String(decoding: $0, as: UTF8.self) }
            }
        }
        #expect(content == expected)
    }

    @Test(arguments: [
        (#""priority":7"#, "priority: must be a number: 10, 5 or 1"),
        (#""priority":"10""#, "priority: must be a number: 10, 5 or 1"),
        (#""expiration":"0""#, "expiration: must be null, or a number of seconds since 1970 from 0 to 4294967295"),
        (#""max_age":"60""#, "max_age: must be null, or a whole number of seconds from 1 to 31536000"),
        (
            #""expiration":1800000000000"#,
            "expiration: must be null, or a number of seconds since 1970 from 0 to 4294967295"
        ),
        (#""max_age":0"#, "max_age: must be null, or a whole number of seconds from 1 to 31536000"),
        (#""on_unknown":"maybe""#, "on_unknown: must be resend or record"),
        (#""collapse":"all""#, "collapse: must be content, notification or none"),
        (#""collapse":"none","collapse_id":"a""#, "collapse: must not stand beside collapse_id"),
        (#""collapse_id":"123456789""#, "collapse_id: must be short"),
    ])
    func faults(member: String, sentence: String) throws {
        for isDefault in [false, true] {
            let fault = try Self.read(isDefault ? "" : member, defaults: isDefault ? member : "") { reader, own in
                do throws(ItemFault) {
                    _ = try reader.priority(own: own)
                    _ = try reader.expiration(own: own)
                    _ = try reader.maxAge(own: own)
                    _ = try reader.onUnknown(own: own)
                    _ = try reader.collapse(own: own, maxKeyLength: 8, "must be short")
                    return ""
                } catch {
                    var hints = NameHints()
                    return error.text(in: reader.bytes, hints: &hints)
                }
            }
            #expect(fault == (isDefault ? "defaults." : "") + sentence)
        }
    }
}
