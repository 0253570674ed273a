import HTTPTypes
import WaybillAccounts
import WaybillSettings
import WaybillThreads

/// Limits the mails that one mailbox receives within an hour, without what stands behind a `+`.
///
/// It counts mails, not requests: a request without a mail closes nobody's mailbox. Each kind has its own bucket, so that sign-ups
/// with an address never stop the reset of its account.
final class MailboxAllowances: Sendable {
    enum Kind: Hashable, CaseIterable {
        /// Mails about a sign-up.
        case signUp
        /// Links for a new password of an existing account.
        case reset
        /// Mails that an account sends to an address that it names.
        case account
    }

    private let state: Guarded<[Kind: TokenBuckets]>

    init(_ limits: AccountSettings.Limits) {
        var buckets: [Kind: TokenBuckets] = [:]
        for kind in Kind.allCases {
            buckets[kind] = TokenBuckets(
                burst: limits.signUpsPerHour,
                perSecond: Double(limits.signUpsPerHour) / 3600
            )
        }
        state = Guarded(buckets)
    }

    /// Whether the mailbox may receive another mail.
    func hasRoom(_ kind: Kind, for email: EmailAddress, now: MonotonicTime = .now()) -> Bool {
        state.withLock { $0[kind]?.hasAny(email.mailbox, now: now) ?? true }
    }

    /// Counts a mail.
    func note(_ kind: Kind, to email: EmailAddress, now: MonotonicTime = .now()) {
        state.withLock { _ = $0[kind]?.take(email.mailbox, now: now) }
    }

    /// Refuses a mail to a full mailbox, where the answer may show that it is full.
    ///
    /// - Throws: ``Problem`` 429.
    func requireRoom(_ kind: Kind, for email: EmailAddress) throws(Problem) {
        guard hasRoom(kind, for: email) else { throw full(kind) }
    }

    /// What a full mailbox answers.
    func full(_ kind: Kind) -> Problem {
        let wait = state.withLock { $0[kind].map { Int((1 / $0.perSecond).rounded(.up)) } ?? 1 }
        return Problem(.tooManyRequests, "this address receives too many mails; come again later")
            .with(.retryAfter, "\(max(1, wait))")
    }
}
