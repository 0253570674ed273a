/// How sure the provider is that a token cannot be used.
package enum TokenVerdict: String, CaseIterable, Sendable {
    /// 410: the token is gone for this topic.
    case dead
    /// BadDeviceToken, DeviceTokenNotForTopic: may be an environment's or a topic's mistake.
    case suspect

    /// What a record says of its token, as the classifier said it of the answer; `nil` if it is no refusal of the token.
    ///
    /// - Parameters:
    ///   - outcome: the record's.
    ///   - statusCode: the record's.
    package init?(recorded outcome: Outcome, statusCode: Int?) {
        guard outcome == .tokenInvalid else { return nil }
        self = statusCode == 410 ? .dead : .suspect
    }
}
