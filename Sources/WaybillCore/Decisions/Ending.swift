/// The last word on a notification that is not tried again: a pure decision, tested from a table.
package struct Ending: Hashable, Sendable {
    /// Why it is not tried again.
    package enum Cause: Hashable, Sendable {
        /// It was sent as often as `retry.max_attempts` allows.
        case attemptsUsedUp
        /// It is too late.
        case tooLate(Deadline.Cause)
        /// An operator has cancelled its batch; by whom, for the record.
        case cancelled(by: String)
        /// A newer notification, which takes its place on the screen, was accepted; its id, for the record.
        case superseded(by: NotificationID)
    }

    package let outcome: Outcome
    package let statusCode: Int?
    package let reason: String?

    /// Decides from why it ends and from every push that was sent, oldest first.
    ///
    /// A push without an answer may have reached the device, so nothing after it makes the end certain.
    ///
    /// - Parameters:
    ///   - cause: why there is no other attempt.
    ///   - attempts: those of all passes; passes that sent nothing are not among them.
    package init(_ cause: Cause, attempts: [AttemptRecord]) {
        if let silent = attempts.last(where: \.isUnanswered) {
            self.init(.unknown, statusCode: nil, reason: silent.reason ?? Self.noAnswer)
            return
        }
        switch cause {
        case .tooLate(let limit): self.init(.expired, statusCode: nil, reason: limit.rawValue)
        case .cancelled(let source): self.init(.cancelled, statusCode: nil, reason: "by \(source)")
        case .superseded(let newer): self.init(.superseded, statusCode: nil, reason: "by \(newer)")
        case .attemptsUsedUp:
            guard let answered = attempts.last(where: { $0.status != nil }) else {
                self.init(.unknown, statusCode: nil, reason: attempts.last?.reason ?? Self.noAnswer)
                return
            }
            self.init(.rejected, statusCode: answered.status, reason: answered.reason)
        }
    }

    private init(_ outcome: Outcome, statusCode: Int?, reason: String?) {
        self.outcome = outcome
        self.statusCode = statusCode
        self.reason = reason
    }

    private static let noAnswer = "no answer"
}
