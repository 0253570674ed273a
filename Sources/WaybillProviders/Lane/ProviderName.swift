import WaybillAPNS
package import WaybillCore

/// A push service by its name: what is left of a ``Provider`` where no lane is at hand, as with a record.
package enum ProviderName: String, CaseIterable, Sendable {
    case apns
    case fcm

    /// The one that a record or an event is of.
    ///
    /// - Parameter name: as it stands there; `nil` is APNs, and so is what a newer release may have written, of which nothing is
    ///   known here.
    package init(ofRecord name: String?) {
        self = name.flatMap(ProviderName.init) ?? .apns
    }

    /// The one whose word a refusal is, where no record is at hand: no word is of two.
    ///
    /// - Parameter reason: as records have it; a word that nobody knows is taken for APNs'.
    package init(ofWord reason: String) {
        self = FCMReasonWords.all.contains(reason) || FCMAdvice.isLaneFault(reason: reason) ? .fcm : .apns
    }

    /// As records and events have it: none for APNs.
    package var recorded: String? { self == .apns ? nil : rawValue }

    /// What people call it.
    package var title: String {
        switch self {
        case .apns: "APNs"
        case .fcm: "FCM"
        }
    }

    /// What people call what records have as `topic`.
    package var topicWord: String {
        switch self {
        case .apns: "topic"
        case .fcm: "project"
        }
    }

    /// The kinds of push that the provider documents, by the names that messages give them.
    package var documentedKinds: [String] {
        switch self {
        case .apns: APNSPushType.known.map(\.rawValue)
        case .fcm: FCMMessageKind.allCases.map(\.rawValue)
        }
    }

    /// What to do about a refusal, where the provider's word alone does not say.
    ///
    /// - Parameter reason: the word, as records have it.
    /// - Returns: half a sentence, to follow what the outcome means; `nil` where there is nothing to add.
    package func advice(reason: String) -> String? {
        switch self {
        case .apns: APNSAdvice.text(reason: reason)
        case .fcm: FCMAdvice.text(reason: reason)
        }
    }

    /// The same of a record: what was refused for good, while its lane went on, has its fault in the message first.
    ///
    /// - Parameters:
    ///   - outcome: the record's.
    ///   - reason: the record's.
    /// - Returns: half a sentence; `nil` where there is nothing to add.
    package func advice(recorded outcome: String, reason: String) -> String? {
        guard outcome == Outcome.rejected.rawValue else { return advice(reason: reason) }
        return switch self {
        case .apns: APNSAdvice.text(ofMessageRefusedFor: reason)
        case .fcm: FCMAdvice.text(reason: reason)
        }
    }

    /// Whether a refusal is about its lane: credentials or topic, which somebody has to correct.
    ///
    /// - Parameter reason: the word, as records have it.
    /// - Returns: `false` also for a word that nobody knows.
    package func isLaneFault(reason: String) -> Bool {
        switch self {
        case .apns: APNSAdvice.isLaneFault(reason: reason)
        case .fcm: FCMAdvice.isLaneFault(reason: reason)
        }
    }

    /// Whether a refusal is about the topic: the message's own, or the lane's where it names none.
    ///
    /// - Parameter reason: the word, as records have it.
    /// - Returns: `false` also for a word that nobody knows.
    package func isTopicFault(reason: String) -> Bool {
        switch self {
        case .apns: APNSAdvice.isTopicFault(reason: reason)
        // A lane has one project, and messages name none.
        case .fcm: false
        }
    }

    /// What a record says of its token.
    ///
    /// - Parameters:
    ///   - outcome: the record's.
    ///   - statusCode: the record's: the last answer's.
    /// - Returns: `nil` if the token was not refused.
    package func tokenVerdict(recorded outcome: Outcome, statusCode: Int?) -> TokenVerdict? {
        switch self {
        case .apns: APNSClassifier.tokenVerdict(recorded: outcome, statusCode: statusCode)
        case .fcm: FCMClassifier.tokenVerdict(recorded: outcome, statusCode: statusCode)
        }
    }
}
