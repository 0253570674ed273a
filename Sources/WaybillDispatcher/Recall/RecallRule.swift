import WaybillCore

/// Decides whose the records are that were found under the ids which a message derives.
///
/// Only a message without a time of its own leaves a doubt: published again, today or next week, it derives the same ids.
/// With one, the same ids are the same message, or its producer's repeat. Without a name, too, not even the broker's word
/// that it hands a message out again tells whose the records are: those of one like it have the
/// same ids.
struct RecallRule: Equatable {
    /// The message carries its own time, or is a delayed retry, whose ids are told by its headers, or derives none.
    var isUnmistakable: Bool
    /// The broker has handed the message out before.
    var isRedelivered: Bool
    /// The producer gave it a name: `batch_id` or message-id.
    var isNamed: Bool

    enum Verdict: Equatable {
        /// The message's own, or those of the message that its producer repeats: what is final there is not sent again.
        case own
        /// Those of an earlier notification of the same content: this one needs ids of its own.
        ///
        /// It is a copy when it may have been sent before.
        case another(isCopy: Bool)
    }

    /// For how long the same name and content without a time mean the same notification, in milliseconds.
    static let repeatWindow: Int64 = 6 * 3600 * 1000

    /// Judges what was found.
    ///
    /// - Parameters:
    ///   - youngest: the date of the youngest record, in milliseconds since 1970; `nil` when there is none.
    ///   - now: milliseconds since 1970.
    /// - Returns: whose they are.
    func judge(youngest: Int64?, now: Int64) -> Verdict {
        guard !isNameless else { return .another(isCopy: isRedelivered) }
        guard let youngest, !isUnmistakable else { return .own }
        let isRecent = now - youngest < Self.repeatWindow
        return isRecent ? .own : .another(isCopy: isRedelivered)
    }

    /// Nothing tells the message from another one of the same content: it gets an identity of its own before anything of
    /// it is sent, whatever the log holds.
    var isNameless: Bool { !isUnmistakable && !isNamed }
}

extension RecallRule {
    init(_ message: InFlightMessage) {
        self.init(
            isUnmistakable: message.origin.isRetry || message.batch.identity.milliseconds != nil
                || message.batch.items.allSatisfy { $0.fingerprint != nil },
            isRedelivered: message.origin.isRedelivered,
            isNamed: message.batch.isNamed
        )
    }
}
