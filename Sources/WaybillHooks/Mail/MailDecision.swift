import WaybillOutbox
import WaybillTransfer

/// What becomes of a mail that was taken out of the outbox.
enum MailDecision: Hashable {
    case giveUp(reason: String)
    /// It was an attempt; milliseconds since 1970.
    case later(at: Int64, reason: String)
    /// No mail would have gone: the server is looked at before another one is taken.
    case serverIsAway(retryAt: Int64, reason: String)

    /// Whatever the server says or does not say, nothing is tried for longer than this; milliseconds.
    static let longestTime: Int64 = 4 * 86_400_000
    /// Milliseconds.
    private static let pauseForServer: Int64 = 5000

    /// Looks at a mail before it is sent.
    ///
    /// - Parameters:
    ///   - mail: as it was claimed.
    ///   - now: milliseconds since 1970.
    /// - Returns: `nil` if it is to be sent.
    static func before(_ mail: ClaimedMail, now: Int64) -> MailDecision? {
        if mail.mail == nil { return .giveUp(reason: "what is stored is no mail") }
        if let notAfter = mail.notAfter, now >= notAfter { return .giveUp(reason: "it has expired") }
        if now - mail.createdAt > longestTime { return .giveUp(reason: "it has waited for four days") }
        guard mail.attempt <= RetrySteps.attempts else {
            return .giveUp(reason: "whoever sent it ended without a word, \(RetrySteps.attempts) times")
        }
        return nil
    }

    /// Decides after an attempt that has not succeeded.
    static func after(
        _ error: MailTransferError,
        _ mail: ClaimedMail,
        now: Int64,
        using generator: inout some RandomNumberGenerator
    ) -> MailDecision {
        let reason = error.description
        switch error.fault {
        case .server: return .serverIsAway(retryAt: now + pauseForServer, reason: reason)
        case .mailForGood: return .giveUp(reason: reason)
        case .mail:
            guard let pause = RetrySteps.pause(after: mail.attempt, using: &generator) else {
                return .giveUp(reason: reason)
            }
            if let notAfter = mail.notAfter, now + pause >= notAfter { return .giveUp(reason: reason) }
            return .later(at: now + pause, reason: reason)
        }
    }
}
