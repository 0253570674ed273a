import WaybillPushTransport
import WaybillThreads

/// What a token source knows, and what it does next: decisions without a key, a thread or a clock.
///
/// One token is in use, at most one is being minted. A mint that has ended is taken up when somebody asks next, at that
/// one's time, so that every interval counts on the clock of those who ask.
struct TokenMachine {
    /// What to do for somebody who asks for a token.
    enum Step {
        /// Here it is.
        case use(APNSProviderToken)
        /// Sign one; ``began(at:)``, and ask again.
        case mint
        /// One is being signed.
        case wait
        /// There is none, and none can be minted now.
        case none(APNSSetupError)
    }

    /// What to do for somebody whose token was refused.
    enum RefusedStep: Hashable {
        /// Sign another one; ``began(at:)``, and ask again.
        case mint
        /// One is being signed.
        case wait
        /// Nothing; this is what can be hoped for.
        case done(TokenProspect)
    }

    private enum Mint {
        case idle
        case running(TokenDate)
        case ended(TokenDate, Result<[UInt8], APNSSetupError>)
    }

    private var rule = MintingRule()
    private var token: APNSProviderToken?
    private var mint = Mint.idle
    /// APNs refused the present token.
    private var doubt: TokenDoubt?
    private var failure: APNSSetupError?

    /// Why the last mint failed; `nil` once one has succeeded.
    var lastFailure: APNSSetupError? {
        if case .ended(_, .failure(let error)) = mint { error } else { failure }
    }

    /// When it is worth asking again, after ``Step/none(_:)``.
    private(set) var retryTime: MonotonicTime?

    /// What to do for somebody who wants to send.
    mutating func next(at now: ClockReading) -> Step {
        takeUp(at: now)
        if case .idle = mint, rule.wantsMint(at: now) || doubt != nil, rule.mayMint(at: now) { return .mint }
        if let token, !isBarred(at: now), rule.isUsable(at: now) { return .use(token) }
        if case .running = mint { return .wait }
        retryTime = [doubt?.secondChance(at: now.monotonic), rule.earliestMint].compactMap(\.self).min()
        return .none(problem(at: now))
    }

    private func isBarred(at now: ClockReading) -> Bool { doubt?.bars(at: now.monotonic) ?? false }

    /// What to do when APNs refused the token with this serial.
    mutating func refused(
        serial: Int,
        _ refusal: TokenRefusal,
        sentAt: MonotonicTime,
        at now: ClockReading
    ) -> RefusedStep {
        takeUp(at: now)
        // A late answer to an old token, too, says what APNs thinks of changes.
        if refusal == .throttled { rule.hold(at: now) }
        if let token, token.serial > serial { return .done(isBarred(at: now) ? prospect : .successor) }
        if doubt == nil {
            doubt = TokenDoubt(serial: serial, refusal, at: now.monotonic)
        } else {
            doubt?.refused(refusal, sentAt: sentAt)
        }
        switch mint {
        // One that is being signed may not be shown before the hold is over.
        case .running where refusal == .expired: return .wait
        case .idle where rule.mayMint(at: now): return .mint
        case .running, .idle, .ended: return .done(prospect)
        }
    }

    /// What the present token, which was refused, has left.
    private var prospect: TokenProspect { doubt?.isFinal == true ? .none : .secondChance }

    /// APNs took a request with the token of this serial, on a connection that had not shown it yet.
    mutating func accepted(serial: Int, at now: ClockReading) {
        if let doubt, doubt.serial == serial, doubt.isDispelled(at: now.monotonic) { self.doubt = nil }
    }

    /// A mint begins.
    ///
    /// - Returns: the date of its token.
    mutating func began(at now: ClockReading) -> TokenDate {
        let date = TokenDate(at: now, after: token?.issuedAt, isReplacement: doubt != nil)
        mint = .running(date)
        return date
    }

    /// The mint has ended, with the value of `authorization` or not.
    mutating func ended(_ result: Result<[UInt8], APNSSetupError>) {
        if case .running(let date) = mint { mint = .ended(date, result) }
    }

    /// Takes up a mint that has ended.
    private mutating func takeUp(at now: ClockReading) {
        guard case .ended(let date, let result) = mint else { return }
        switch result {
        case .failure(let error):
            failure = error
            rule.failed(at: now)
        case .success where MintingRule.isOld(date, at: now):
            // Nobody asked for it in its time, so APNs has never seen it: it counts as none.
            break
        case .success where !rule.mayMint(at: now):
            // Held while it was being signed: APNs may not see it yet.
            return
        case .success(let authorization):
            token = APNSProviderToken(
                serial: (token?.serial ?? 0) + 1,
                authorization: authorization,
                issuedAt: date.issuedAt
            )
            rule.minted(date, at: now)
            doubt = nil
            failure = nil
        }
        mint = .idle
    }

    /// Why there is no token: APNs' own word first, if it refused the last one.
    private func problem(at now: ClockReading) -> APNSSetupError {
        guard let doubt else {
            return failure
                ?? APNSSetupError(.credentials, "there is no provider token, and APNs allows no new one yet")
        }
        let isPaused = doubt.secondChance(at: now.monotonic) != nil
        let next = failure?.text ?? (isPaused ? "it is used once more soon" : "APNs allows no new one yet")
        return APNSSetupError(
            .credentials,
            "APNs refused the provider token: \(doubt.refusal.reason.rawValue); \(next)"
        )
    }
}
