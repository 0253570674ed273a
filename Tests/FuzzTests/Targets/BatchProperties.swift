import WaybillAPNS
import WaybillCore
import WaybillMessages
import WaybillProviders
import WaybillSimulator

/// What holds for every batch that the decoder lets through.
enum BatchProperties {
    static let limits = DecodingLimits(maxBodySize: 1 << 16, maxNotifications: 200)
    static let decoder = BatchDecoder(
        limits: limits,
        lanes: [
            Lane(name: "parcels", environment: .production, bundleID: "com.example.parcels"),
            Lane(name: "chat", environment: .sandbox, bundleID: "com.example.chat"),
        ]
    )

    /// Headers and paths, payloads, and a second reading of the same bytes.
    ///
    /// - Parameters:
    ///   - batch: what was decoded.
    ///   - json: the body, inflated.
    ///   - properties: what it was decoded with.
    /// - Throws: `Violation`.
    static func check(_ batch: Batch, json: [UInt8], properties: MessageProperties) throws {
        try require((1...255).contains(batch.id.utf8.count), "a batch id of \(batch.id.utf8.count) bytes")
        try require((1...limits.maxNotifications).contains(batch.items.count), "\(batch.items.count) items")
        for item in batch.items {
            let ids = [batch.identity.id(at: item.index), batch.identity.spareID(at: item.index)]
            let isInRange = ids.allSatisfy { MessageIdentity.isOneMessage($0, batch.identity.id(at: 0)) }
            try require(isInRange && ids[0] != ids[1], "an id outside of the range")
            try require(json[item.source.indices].elementsEqual(item.source), "an item is no slice of the body")
            switch item.content {
            case .valid(let notification): try check(notification, json: json)
            case .invalid(let invalid):
                try checkGivenToken(invalid.deviceToken)
                try require(!invalid.reason.isEmpty, "an invalid item without a reason")
            }
        }
        try checkSecondReading(json)
        try checkRetry(of: batch, properties: properties)
    }

    private static func check(_ notification: Notification, json: [UInt8]) throws {
        try checkToken(notification.deviceToken)
        try require(isHeader((notification.topic ?? "").utf8, longest: 255), "topic")
        try require(isHeader((notification.kind ?? "").utf8, longest: 32), "push type")
        if case .explicit(let id) = notification.collapseKey { try require(isHeader(id, longest: 64), "collapse id") }
        try require([1, 5, 10].contains(notification.priority.rawValue), "priority \(notification.priority)")
        let isRefused = notification.kind == "background" && notification.priority == .high
        try require(!isRefused, "a background push of priority 10")
        if case .at(let seconds) = notification.expiration {
            try require((1...4_294_967_295).contains(seconds), "expiration \(seconds)")
        }
        try require(
            notification.payload.count <= limits.apns.payloadSize(for: APNSPushType(rawValue: notification.kind ?? "")),
            "a payload of \(notification.payload.count) bytes"
        )
        try checkPayload(notification, json: json)
    }

    private static func checkToken(_ token: ArraySlice<UInt8>?) throws {
        guard let token else { return }
        let isToken = token.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        try require(isToken && token.count % 2 == 0 && (2...400).contains(token.count), "device token")
    }

    /// An invalid item keeps what it gave: text, and not much of it.
    private static func checkGivenToken(_ token: ArraySlice<UInt8>?) throws {
        guard let token else { return }
        try require((1...InvalidItem.maxTokenBytes).contains(token.count), "a given token of \(token.count) bytes")
        try require(String(validating: token, as: UTF8.self) != nil, "a given token that is no UTF-8")
    }

    /// A producer's payload stands in the body as it is sent; an alert's says what the producer said.
    private static func checkPayload(_ notification: Notification, json: [UInt8]) throws {
        guard let message = notification.message else {
            let payload = notification.payload
            try require(json.indices.contains(payload.startIndex), "a payload outside of the body")
            try require(json[payload.indices].elementsEqual(payload), "a payload that is no slice of the body")
            try require(payload.first == UInt8(ascii: "{") && payload.last == UInt8(ascii: "}"), "a payload's braces")
            return
        }
        // The reader of the simulator shares no code with the decoder.
        guard case .object? = try? JSONParser.parse(Array(notification.payload)) else {
            // A sound may be an object, which passes as it stands: deep, or with a name twice.
            return try require(notification.payload.firstRange(of: "\"sound\":{".utf8) != nil, "an alert is no JSON")
        }
        let alert = try JSONParser.parse(Array(notification.payload))["aps"]?["alert"]
        let text: String? =
            switch alert {
            case .string(let text): text
            case .object?: if case .string(let body)? = alert?["body"] { body } else { nil }
            default: nil
            }
        try require(text.map { Array($0.utf8) } == Array(message), "the alert says something else")
    }

    /// What the decoder takes for JSON, another reader does too, apart from its own bounds.
    private static func checkSecondReading(_ json: [UInt8]) throws {
        do {
            _ = try JSONParser.parse(json)
        } catch {
            let isBound = ["levels", "twice", "surrogate", "number"].contains { error.problem.contains($0) }
            try require(isBound, "another reader says: \(error.problem)")
        }
    }

    /// A delayed retry of every second item gives the same ids, tokens and payloads.
    private static func checkRetry(of batch: Batch, properties: MessageProperties) throws {
        let positions = Array(stride(from: 0, to: batch.items.count, by: 2))
        let body = RetryEnvelope.encode(batch, positions: positions)
        var properties = properties
        properties.contentEncoding = nil
        properties.retry = RetryHeader(
            attempt: 2,
            indexes: positions.map { batch.items[$0].index },
            identity: batch.identity
        )
        guard case .success(let again) = decoder.decode(body, properties: properties) else {
            throw Violation(description: "a retry cannot be read")
        }
        try require(again.id == batch.id && again.client == batch.client, "a retry has other names")
        try require(again.lane == batch.lane && again.items.count == positions.count, "a retry has other items")
        for (item, position) in zip(again.items, positions) {
            let first = batch.items[position]
            try require(item.index == first.index, "a retry has other positions")
            switch (item.content, first.content) {
            case (.valid(let item), .valid(let first)):
                let isSame =
                    item.id == first.id && item.deviceToken == first.deviceToken
                    && item.payload == first.payload && item.collapseKey == first.collapseKey
                    && item.topic == first.topic && item.priority == first.priority
                    && item.expiration == first.expiration && item.kind == first.kind
                    && item.expirationFrom == first.expirationFrom && item.isKindDerived == first.isKindDerived
                    && item.onUnknown == first.onUnknown && item.message == first.message
                try require(isSame, "a retry sends something else")
            case (.invalid(let item), .invalid(let first)):
                // An id that two items share is a fault of the second, which may be alone in the retry.
                try require(item.deviceToken == first.deviceToken, "a retry has another token")
            case (.valid, .invalid(let first)):
                try require(first.reason.contains("has the same"), "a retry sends what was invalid: \(first.reason)")
            case (.invalid(let item), .valid):
                throw Violation(description: "a retry refuses what was valid: \(item.reason)")
            }
        }
    }

    private static func isHeader(_ text: some Collection<UInt8>, longest: Int) -> Bool {
        (1...longest).contains(text.count) && text.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
