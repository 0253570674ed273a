import Threads

/// What a token source knows, and what it does next: decisions without a key, a thread or a clock.
///
/// One token is in use, at most one is being minted. A mint that has ended is taken up when somebody asks next, at that
/// one's time, so that every interval counts on the clock of those who ask.
struct TokenDesk {
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

    private enum Mint {
        case idle
        case running(issuedAt: APNSInstant)
        case ended(issuedAt: APNSInstant, Result<[UInt8], APNSSetupError>)
    }

    private var rule = MintingRule()
    private var token: APNSProviderToken?
    private var mint = Mint.idle
    /// APNs said ExpiredProviderToken to the token with this serial.
    private var refusedSerial: Int?
    private var failure: APNSSetupError?

    /// Why the last mint failed; `nil` once one has succeeded.
    var lastFailure: APNSSetupError? {
        if case .ended(_, .failure(let error)) = mint { error } else { failure }
    }

    /// When it is worth asking again after ``Step/none(_:)``.
    var earliestMint: MonotonicTime? { rule.earliestMint }

    /// What to do for somebody who wants to send.
    mutating func next(at now: APNSInstant) -> Step {
        takeUp(at: now)
        let isRefused = token != nil && token?.serial == refusedSerial
        if case .idle = mint, rule.wantsMint(at: now) || isRefused, rule.mayMint(at: now) { return .mint }
        if case .running = mint, isRefused { return .wait }
        if let token, rule.isUsable(at: now) { return .use(token) }
        if case .running = mint { return .wait }
        return .none(failure ?? Self.heldBack)
    }

    /// What to do when APNs said ExpiredProviderToken to the token with this serial.
    ///
    /// - Returns: ``Step/use(_:)`` only with a newer token.
    mutating func refused(serial: Int, at now: APNSInstant) -> Step {
        takeUp(at: now)
        if let token, token.serial > serial { return .use(token) }
        refusedSerial = serial
        switch mint {
        case .running: return .wait
        case .idle where rule.mayMint(at: now): return .mint
        case .idle, .ended: return .none(failure ?? Self.heldBack)
        }
    }

    /// A mint has begun; its token will have this date.
    mutating func began(at now: APNSInstant) {
        mint = .running(issuedAt: now)
    }

    /// The mint has ended, with the value of `authorization` or not.
    mutating func ended(_ result: Result<[UInt8], APNSSetupError>) {
        if case .running(let issuedAt) = mint { mint = .ended(issuedAt: issuedAt, result) }
    }

    /// APNs said TooManyProviderTokenUpdates.
    mutating func hold(at now: APNSInstant) {
        rule.hold(at: now)
    }

    /// Takes up a mint that has ended.
    private mutating func takeUp(at now: APNSInstant) {
        guard case .ended(let issuedAt, let result) = mint else { return }
        switch result {
        case .failure(let error):
            failure = error
            rule.failed(at: now)
        case .success where MintingRule.isOld(issuedAt, at: now):
            // Nobody asked for it in its time, so APNs has never seen it: it counts as none.
            break
        case .success where !rule.mayMint(at: now):
            // Held while it was being signed: APNs may not see it yet.
            return
        case .success(let authorization):
            token = APNSProviderToken(
                serial: (token?.serial ?? 0) + 1,
                authorization: authorization,
                mintedAt: issuedAt
            )
            rule.minted(issuedAt: issuedAt, at: now)
            refusedSerial = nil
            failure = nil
        }
        mint = .idle
    }

    private static var heldBack: APNSSetupError {
        APNSSetupError(.credentials, "there is no provider token, and APNs allows no new one yet")
    }
}
