/// Why a channel could not be created, read, deleted or listed.
///
/// Other than a push, whose refusal is a value, a call about channels returns what it was made for: a refusal leaves
/// nothing to return, and is an error.
public struct APNSChannelError: Error, Hashable, Sendable {
    /// What kind of failure it is.
    public enum Kind: Hashable, Sendable {
        /// APNs refused the call; ``APNSChannelError/reason`` holds its word.
        case refused
        /// There is no answer; ``APNSChannelError/failure`` says why.
        case unanswered
        /// APNs did what it was asked to, and its answer cannot be read.
        case unreadable
    }

    /// What kind of failure it is.
    public let kind: Kind
    /// The answer's HTTP status; `nil` without an answer.
    public let status: Int?
    /// APNs' word for the refusal, unchanged, known or not.
    public let reason: APNSReason?
    /// The call's `apns-request-id`, to join logs by.
    public let requestID: APNSID
    /// Why there is no answer.
    public let failure: APNSError?
    /// What happened, for a person.
    public let text: String

    init(_ kind: Kind, status: Int?, reason: APNSReason?, requestID: APNSID, failure: APNSError?, text: String) {
        self.kind = kind
        self.status = status
        self.reason = reason
        self.requestID = requestID
        self.failure = failure
        self.text = text
    }

    /// Whether the call may have been carried out all the same; ``APNSChannelClient/list()`` then tells.
    public var mayHaveHappened: Bool {
        switch kind {
        case .refused: false
        case .unanswered: failure?.fate != .notSent
        case .unreadable: true
        }
    }

    /// Whether APNs says that there is no such channel, in either of its two ways.
    ///
    /// Documented is ``APNSReason/channelNotRegistered``; for a channel that was deleted, 404 ``APNSReason/badPath`` has
    /// been seen.
    public var saysThatChannelIsGone: Bool {
        reason == .channelNotRegistered || (status == 404 && reason == .badPath)
    }

    /// What to do next, after a refusal; `nil` for the other kinds.
    public var action: APNSAction? {
        guard kind == .refused, let status else { return nil }
        return APNSAnswer(status: status, reason: reason).action
    }
}

extension APNSChannelError: CustomStringConvertible {
    /// The text with the request id.
    public var description: String { "\(text) (request \(requestID))" }
}
