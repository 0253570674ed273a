import Testing
import WaybillSimulator

@Suite struct RequestValidatorTests {
    static let token = String(repeating: "a1", count: 32)
    static let good: [(String, String)] = [
        (":method", "POST"), (":path", "/3/device/\(token)"), ("authorization", "bearer x"),
        ("apns-topic", "com.example.parcels"), ("apns-push-type", "alert"),
    ]

    /// A good request with some headers replaced, added, or removed by `nil`.
    static func head(_ changes: [(String, String?)] = []) -> RequestHead {
        var headers = good
        for (name, value) in changes {
            headers.removeAll { $0.0 == name }
            if let value { headers.append((name, value)) }
        }
        return head(exactly: headers)
    }

    static func head(exactly headers: [(String, String)]) -> RequestHead {
        var head = RequestHead()
        for (name, value) in headers {
            Array(name.utf8).withUnsafeBytes { name in
                Array(value.utf8).withUnsafeBytes { value in head.append(name: name, value: value) }
            }
        }
        return head
    }

    static func refusal(
        _ head: RequestHead,
        payload: String = #"{"aps":{}}"#,
        topics: [String] = ["com.example.parcels"],
        authentication: DocumentedReason? = nil
    ) -> DocumentedReason? {
        RequestValidator(policy: ValidationPolicy(topics: topics))
            .refusal(head: head, payload: Array(payload.utf8)) { _ in authentication }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let changes: [(String, String?)]
        let reason: DocumentedReason?

        init(_ name: String, _ value: String?, _ reason: DocumentedReason?, type: String? = "alert") {
            changes = [("apns-push-type", type), (name, value)]
            self.reason = reason
        }

        var testDescription: String { "\(changes) → \(reason?.rawValue ?? "accepted")" }
    }

    @Test func acceptsAGoodRequest() {
        #expect(Self.refusal(Self.head()) == nil)
    }

    static let headerCases: [Case] = [
        Case(":method", "GET", .methodNotAllowed),
        Case(":method", "PUT", .methodNotAllowed),
        Case(":path", "/", .badPath),
        Case(":path", "/2/device/\(token)", .badPath),
        Case(":path", "/3/devices/\(token)", .badPath),
        Case(":path", "/3/device/\(token)/x", .badPath),
        Case(":path", "/3/device", .missingDeviceToken),
        Case(":path", "/3/device/", .missingDeviceToken),
        Case(":path", "/3/device/\(token.dropLast())", .badDeviceToken),
        Case(":path", "/3/device/\(token.dropLast(2))", .badDeviceToken),
        Case(":path", "/3/device/\(token)zz", .badDeviceToken),
        Case(":path", "/3/device/\(token)?x=1a", .badDeviceToken),
        Case(":path", "/3/device/\(token.uppercased())", nil),
        Case(":path", "/3/device/\(token)\(token)a1b2", nil),
        Case("apns-id", "123e4567-e89b-12d3-a456-42665544000a", nil),
        Case("apns-id", "123E4567-E89B-12D3-A456-42665544000A", nil),
        Case("apns-id", "123e4567e89b12d3a45642665544000a", .badMessageID),
        Case("apns-id", "123e4567-e89b-12d3-a456-42665544000g", .badMessageID),
        Case("apns-id", "", .badMessageID),
        Case("apns-expiration", "0", nil),
        Case("apns-expiration", "1800000000", nil),
        Case("apns-expiration", "", .badExpirationDate),
        Case("apns-expiration", "-1", .badExpirationDate),
        Case("apns-expiration", "1.5", .badExpirationDate),
        Case("apns-expiration", "tomorrow", .badExpirationDate),
        Case("apns-expiration", "99999999999999999999", .badExpirationDate),
        Case("apns-priority", "10", nil),
        Case("apns-priority", "5", nil),
        Case("apns-priority", "1", nil),
        Case("apns-priority", "7", .badPriority),
        Case("apns-priority", "05", .badPriority),
        Case("apns-priority", "high", .badPriority),
        Case("apns-priority", "10", .badPriority, type: "background"),
        Case("apns-priority", "1", .badPriority, type: "background"),
        Case("apns-priority", "5", nil, type: "background"),
        Case("apns-priority", nil, nil, type: "background"),
        Case("apns-collapse-id", String(repeating: "c", count: 64), nil),
        Case("apns-collapse-id", String(repeating: "c", count: 65), .badCollapseID),
        Case("apns-collapse-id", String(repeating: "é", count: 33), .badCollapseID),
        Case("apns-push-type", "Alert", .invalidPushType),
        Case("apns-push-type", "", .invalidPushType),
        Case("apns-push-type", nil, nil),
        Case("apns-topic", nil, .missingTopic),
        Case("apns-topic", "", .missingTopic),
        Case("apns-topic", "com example", .badTopic),
        Case("apns-topic", "com.example/parcels", .badTopic),
        Case("apns-topic", "com.example.other", .topicDisallowed),
        Case("apns-topic", "com.example.parcels.voip", .topicDisallowed),
        Case("apns-topic", "com.example.parcels.voip", nil, type: "voip"),
        Case("apns-topic", "com.example.parcels", .topicDisallowed, type: "voip"),
        Case("apns-topic", "com.example.parcels.push-type.liveactivity", nil, type: "liveactivity"),
        Case("apns-topic", "com.example.parcels.complication", nil, type: nil),
        Case("apns-topic", "com.example.other", .topicDisallowed, type: nil),
    ]

    @Test(arguments: headerCases)
    func headers(_ testCase: Case) {
        #expect(Self.refusal(Self.head(testCase.changes)) == testCase.reason)
    }

    @Test(arguments: ["apns-topic", "apns-id", "authorization", "apns-push-type", "apns-priority"])
    func refusesAHeaderThatComesTwice(name: String) {
        let value = name == "apns-id" ? "123e4567-e89b-12d3-a456-42665544000a" : "5"
        let headers = Self.good.filter { $0.0 != name } + [(name, value), (name, value)]
        #expect(Self.refusal(Self.head(exactly: headers)) == .duplicateHeaders)
    }

    @Test func withoutTopicsTakesEveryTopicWithTheRightSuffix() {
        func refusal(_ topic: String, type: String) -> DocumentedReason? {
            Self.refusal(Self.head([("apns-topic", topic), ("apns-push-type", type)]), topics: [])
        }
        #expect(refusal("org.any.app", type: "alert") == nil)
        #expect(refusal("org.any.app.voip", type: "voip") == nil)
        #expect(refusal("org.any.app", type: "voip") == .topicDisallowed)
        #expect(refusal(".voip", type: "voip") == .topicDisallowed)
    }

    @Test(arguments: [
        ("alert", 4096, nil), ("alert", 4097, DocumentedReason.payloadTooLarge),
        ("voip", 5120, nil), ("voip", 5121, .payloadTooLarge),
    ])
    func payloadSize(type: String, size: Int, reason: DocumentedReason?) {
        let payload = "{\"a\":\"" + String(repeating: "x", count: size - 8) + "\"}"
        let topic = type == "voip" ? "com.example.parcels.voip" : "com.example.parcels"
        #expect(payload.utf8.count == size)
        let head = Self.head([("apns-push-type", type), ("apns-topic", topic)])
        #expect(Self.refusal(head, payload: payload) == reason)
    }

    @Test(arguments: ["", "  ", "[]", "hello", "{\"aps\":", "null"])
    func refusesAPayloadThatIsNoObject(payload: String) {
        #expect(Self.refusal(Self.head(), payload: payload) == .payloadEmpty)
    }

    @Test func takesBlanksAroundThePayload() {
        #expect(Self.refusal(Self.head(), payload: " \n{}\r\n") == nil)
    }

    /// Each request is wrong in everything from its step on; the earliest step must be the one that speaks.
    @Test func judgesInTheDocumentedOrder() {
        let steps: [([(String, String?)], DocumentedReason)] = [
            ([(":method", "GET")], .methodNotAllowed),
            ([(":path", "/x")], .badPath),
            ([("apns-id", "x")], .badMessageID),
            ([("apns-expiration", "x")], .badExpirationDate),
            ([("apns-push-type", "x")], .invalidPushType),
            ([("apns-priority", "x")], .badPriority),
            ([("apns-collapse-id", String(repeating: "x", count: 65))], .badCollapseID),
            ([("apns-topic", nil)], .missingTopic),
            ([(":path", "/3/device/zz")], .badDeviceToken),
        ]
        for (index, step) in steps.enumerated() {
            let later = steps[index...].reversed().flatMap(\.0)
            #expect(Self.refusal(Self.head(later), payload: "") == step.1)
        }
        let everythingLater = Self.head([("apns-id", "x"), ("apns-topic", nil)])
        #expect(Self.refusal(everythingLater, authentication: .expiredProviderToken) == .expiredProviderToken)
        let target = Self.head([(":path", "/x")])
        #expect(Self.refusal(target, authentication: .expiredProviderToken) == .badPath)
    }
}
