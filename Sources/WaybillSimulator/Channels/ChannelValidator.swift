/// Decides which of Apple's reasons a request about channels earns; pure but for a look at the channels.
///
/// Apple documents the reasons ("Handling error responses from APNs"), not the order in which they are found. The
/// simulator's order is:
///
/// 1. method and path
/// 2. a header twice (`BadRequestParams`)
/// 3. the provider token, or the certificate (`BadCertificate`, `TopicMismatch`)
/// 4. `apns-request-id` (`BadMessageId`)
/// 5. the app (`TopicDisallowed`, `FeatureNotEnabled`)
/// 6. what the call itself needs, headers before the body
///
/// Where the documentation is silent:
/// - `apns-push-type` of a broadcast may be written `liveactivity` or, as one page prints it, `LiveActivity`.
/// - `apns-topic` is neither needed nor looked at.
/// - A broadcast that says nothing of its expiration passes; to a channel that stores nothing only 0 can be said.
/// - A broadcast's `aps` must not have an `event` other than `update` and `end`; one without it passes.
/// - The body of a call must be one JSON object with the documented members and no others (`BadRequestPayload`); a
///   storage policy other than 0 and 1 is `BadRequestParams`.
package struct ChannelValidator: Sendable {
    /// The most bytes of a broadcast's payload.
    package static let broadcastLimit = 5120
    /// The most bytes of another call's body.
    package static let bodyLimit = 4096

    private let policy: ValidationPolicy

    package init(policy: ValidationPolicy) {
        self.policy = policy
    }

    /// The first reason against the request, before the channel itself is looked for.
    ///
    /// - Parameters:
    ///   - head: the request's headers.
    ///   - target: what they are aimed at.
    ///   - certificate: the client's, which stands in for a provider token.
    ///   - authenticate: judges the provider token; called only for requests that come so far and have no certificate.
    /// - Returns: `nil` when there is none.
    package func refusal(
        head: RequestHead,
        target: ChannelTarget,
        certificate: ProviderCertificate? = nil,
        authenticate: (_ authorization: ArraySlice<UInt8>?) -> DocumentedReason?
    ) -> DocumentedReason? {
        if case .refused(let reason) = target { return reason }
        if head.hasDuplicates { return .badRequestParameters }
        if let certificate {
            guard let topic = certificate.topic else { return .badCertificate }
            if topic != target.bundleID { return .topicMismatch }
        } else if let reason = authenticate(head[.authorization]) {
            return reason
        }
        if let id = head[.requestID], !HeaderForms.isCanonicalUUID(id) { return .badMessageID }
        let bundleID = target.bundleID ?? ""
        guard HeaderForms.isTopic(Array(bundleID.utf8)), policy.topics.isEmpty || policy.topics.contains(bundleID)
        else { return .topicDisallowed }
        return policy.topicsWithoutBroadcast.contains(bundleID) ? .featureNotEnabled : nil
    }

    /// The reason against the id of a channel that has to exist.
    package func refusalOfChannel(_ head: RequestHead, _ find: (String) -> SimulatorChannel?) -> ChannelFinding {
        guard let id = head[.channelID], !id.isEmpty else { return .refused(.missingChannelID) }
        guard ChannelID.isWellFormed(id) else { return .refused(.badChannelID) }
        guard let channel = find(String(decoding: id, as: UTF8.self)) else { return .refused(.channelNotRegistered) }
        return .found(channel)
    }

    /// The reason against a broadcast to a channel.
    package func refusalOfBroadcast(
        _ head: RequestHead,
        payload: [UInt8],
        to channel: SimulatorChannel
    ) -> DocumentedReason? {
        guard let type = head[.pushType] else { return .missingPushType }
        guard type.elementsEqual("liveactivity".utf8) || type.elementsEqual("LiveActivity".utf8) else {
            return .invalidPushType
        }
        if let expiration = head[.expiration] {
            guard HeaderForms.isExpiration(expiration) else { return .badExpirationDate }
            let isZero = expiration.allSatisfy { $0 == UInt8(ascii: "0") }
            if !channel.storesMessages, !isZero { return .badExpirationDate }
        }
        if let text = head[.priority] {
            guard let priority = HeaderForms.priority(text), priority != 1 else { return .badPriority }
        }
        if payload.isEmpty { return .payloadEmpty }
        if payload.count > Self.broadcastLimit { return .payloadTooLarge }
        guard let document = try? JSONParser.parse(payload), case .object = document["aps"] else {
            return .badRequestPayload
        }
        switch document["aps"]?["event"] {
        case nil, .string("update"), .string("end"): return nil
        default: return .badRequestPayload
        }
    }

    /// What the body of a request for a new channel says.
    package func storagePolicy(_ payload: [UInt8]) -> Result<Bool, ChannelRefusal> {
        if payload.isEmpty { return .failure(.init(.payloadEmpty)) }
        if payload.count > Self.bodyLimit { return .failure(.init(.payloadTooLarge)) }
        guard case .object(let members) = try? JSONParser.parse(payload),
            members.allSatisfy({ $0.name == "message-storage-policy" || $0.name == "push-type" })
        else { return .failure(.init(.badRequestPayload)) }
        let document = JSONValue.object(members)
        guard let type = document["push-type"] else { return .failure(.init(.missingPushType)) }
        guard type == .string("LiveActivity") else { return .failure(.init(.invalidPushType)) }
        switch document["message-storage-policy"] {
        case .integer(0): return .success(false)
        case .integer(1): return .success(true)
        default: return .failure(.init(.badRequestParameters))
        }
    }
}

/// The channel that a request names, or why there is none.
package enum ChannelFinding: Hashable, Sendable {
    case found(SimulatorChannel)
    case refused(DocumentedReason)
}

/// A reason as an error.
package struct ChannelRefusal: Error, Hashable, Sendable {
    package let reason: DocumentedReason

    init(_ reason: DocumentedReason) {
        self.reason = reason
    }
}
