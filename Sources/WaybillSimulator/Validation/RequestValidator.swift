/// What the simulator holds requests against besides Apple's fixed rules.
package struct ValidationPolicy: Sendable {
    /// The bundle ids (or whole topics) that pushes may go to; empty allows every well-formed topic.
    package var topics: [String]
    /// The fewest hexadecimal digits of a device token.
    package var minimumTokenDigits: Int
    /// The bundle ids of apps that have not been given the broadcast capability.
    package var topicsWithoutBroadcast: [String] = []

    package init(topics: [String] = [], minimumTokenDigits: Int = 64) {
        self.topics = topics
        self.minimumTokenDigits = minimumTokenDigits
    }
}

/// Decides which of Apple's reasons a request earns; pure.
///
/// Apple documents the reasons, not the order in which they are found. The simulator's order goes from the connection
/// inwards and is part of its contract:
///
/// 1. `:method`, then `:path` (`BadPath`, `MissingDeviceToken`)
/// 2. `DuplicateHeaders`
/// 3. the provider token (every 403, and `TooManyProviderTokenUpdates`), or the certificate (`BadCertificate`)
/// 4. `apns-id`, `apns-expiration`, `apns-push-type`, `apns-priority`, `apns-collapse-id`
/// 5. `apns-topic` (`MissingTopic`, `BadTopic`, `TopicDisallowed`)
/// 6. the device token (`BadDeviceToken`)
/// 7. the payload (`PayloadEmpty`, `PayloadTooLarge`)
///
/// Where the documentation is silent:
/// - A payload that does not begin with `{` and end with `}` gets `PayloadEmpty`: Apple names no reason for text that
///   is no JSON object.
/// - Without `apns-push-type` a topic may carry any known suffix.
/// - A certificate that names no topic is `BadCertificate`; a push type that needs a token is `Forbidden` with any
///   certificate; a request without `apns-topic` goes to the certificate's bundle id.
/// - `background` with a priority other than 5 is `BadPriority`; without a priority it passes.
package struct RequestValidator: Sendable {
    private let allowed: [(type: PushType, topics: Set<[UInt8]>)]
    private let allowsEveryTopic: Bool
    private let minimumTokenDigits: Int

    package init(policy: ValidationPolicy) {
        allowsEveryTopic = policy.topics.isEmpty
        minimumTokenDigits = policy.minimumTokenDigits
        allowed = PushType.all.map { type in
            (type, Set(policy.topics.map { Array($0.utf8) + Array(type.topicSuffix.utf8) }))
        }
    }

    /// The first reason against the request.
    ///
    /// - Parameters:
    ///   - head: the request's headers.
    ///   - payload: its body.
    ///   - certificate: the client's, which stands in for a provider token.
    ///   - authenticate: judges the provider token; called only for requests that come so far and have no certificate.
    /// - Returns: `nil` when there is none.
    package func refusal(
        head: RequestHead,
        payload: [UInt8],
        certificate: ProviderCertificate? = nil,
        authenticate: (_ authorization: ArraySlice<UInt8>?) -> DocumentedReason?
    ) -> DocumentedReason? {
        if let reason = refusal(head: head, certificate: certificate, authenticate: authenticate) { return reason }
        if !HeaderForms.isObjectLike(payload) { return .payloadEmpty }
        let limit = head[.pushType].flatMap { PushType.named($0) }?.payloadLimit ?? PushType.defaultPayloadLimit
        return payload.count > limit ? .payloadTooLarge : nil
    }

    /// The first reason against the request's headers, in the same order.
    package func refusal(
        head: RequestHead,
        certificate: ProviderCertificate? = nil,
        authenticate: (_ authorization: ArraySlice<UInt8>?) -> DocumentedReason?
    ) -> DocumentedReason? {
        let token: ArraySlice<UInt8>
        switch Self.target(head) {
        case .token(let bytes): token = bytes
        case .refused(let reason): return reason
        }
        if head.hasDuplicates { return .duplicateHeaders }
        if certificate == nil, let reason = authenticate(head[.authorization]) { return reason }
        if let certificate, certificate.topic == nil { return .badCertificate }
        let type = head[.pushType].map { PushType.named($0) }
        if let reason = refusalOfValues(head, type: type) { return reason }
        if let topic = certificate?.topic {
            if let reason = Self.refusalOfTopic(head[.topic], certificateTopic: topic, type: type ?? nil) {
                return reason
            }
        } else if let reason = refusalOfTopic(head[.topic], type: type ?? nil) {
            return reason
        }
        return HeaderForms.isDeviceToken(token, minimumDigits: minimumTokenDigits) ? nil : .badDeviceToken
    }

    /// What a request is aimed at.
    package enum Target: Hashable, Sendable {
        /// The device token of the path, unchecked.
        case token(ArraySlice<UInt8>)
        /// Nothing that the simulator serves.
        case refused(DocumentedReason)
    }

    private static let prefix = Array("/3/device".utf8)
    private static let slash = UInt8(ascii: "/")

    /// Reads method and path.
    package static func target(_ head: RequestHead) -> Target {
        guard head[.method]?.elementsEqual("POST".utf8) == true else { return .refused(.methodNotAllowed) }
        guard let path = head[.path], path.starts(with: prefix) else { return .refused(.badPath) }
        let rest = path.dropFirst(prefix.count)
        guard let first = rest.first else { return .refused(.missingDeviceToken) }
        guard first == slash else { return .refused(.badPath) }
        let token = rest.dropFirst()
        if token.isEmpty { return .refused(.missingDeviceToken) }
        return token.contains(slash) ? .refused(.badPath) : .token(token)
    }

    // The type is doubly optional: no header, a header with an unknown value, or a type.
    private func refusalOfValues(_ head: RequestHead, type: PushType??) -> DocumentedReason? {
        if let id = head[.apnsID], !HeaderForms.isCanonicalUUID(id) { return .badMessageID }
        if let expiration = head[.expiration], !HeaderForms.isExpiration(expiration) { return .badExpirationDate }
        if case .some(.none) = type { return .invalidPushType }
        if let text = head[.priority] {
            guard let priority = HeaderForms.priority(text) else { return .badPriority }
            if let type = type ?? nil, !type.priorities.contains(priority) { return .badPriority }
        }
        if let collapseID = head[.collapseID], collapseID.count > 64 { return .badCollapseID }
        return nil
    }

    /// A certificate is for one app: its topics are the bundle id with the suffixes of the push types.
    private static func refusalOfTopic(
        _ topic: ArraySlice<UInt8>?,
        certificateTopic: String,
        type: PushType?
    ) -> DocumentedReason? {
        if let type, type.needsToken { return .forbidden }
        let topic = topic ?? Array(certificateTopic.utf8)[...]
        guard !topic.isEmpty else { return .missingTopic }
        guard HeaderForms.isTopic(topic) else { return .badTopic }
        let suffixes = type.map { [$0.topicSuffix] } ?? PushType.all.map(\.topicSuffix)
        let isAllowed = suffixes.contains { topic.elementsEqual((certificateTopic + $0).utf8) }
        return isAllowed ? nil : .topicDisallowed
    }

    private func refusalOfTopic(_ topic: ArraySlice<UInt8>?, type: PushType?) -> DocumentedReason? {
        guard let topic, !topic.isEmpty else { return .missingTopic }
        guard HeaderForms.isTopic(topic) else { return .badTopic }
        let isAllowed: Bool
        if let type {
            if allowsEveryTopic {
                isAllowed = topic.count > type.topicSuffix.utf8.count && topic.suffix(of: type)
            } else {
                isAllowed = allowed.first { $0.type == type }?.topics.contains(Array(topic)) == true
            }
        } else {
            isAllowed = allowsEveryTopic || allowed.contains { $0.topics.contains(Array(topic)) }
        }
        return isAllowed ? nil : .topicDisallowed
    }
}

extension ArraySlice<UInt8> {
    /// Whether a topic ends as the push type asks.
    fileprivate func suffix(of type: PushType) -> Bool {
        suffix(type.topicSuffix.utf8.count).elementsEqual(type.topicSuffix.utf8)
    }
}
