import WaybillThreads

/// How often one request may be sent again by the driver itself.
///
/// What lasts longer than that is the caller's business: minutes do not belong in memory.
struct ResendBudget: Hashable {
    /// Whether, and when, a request is sent again.
    enum Decision: Hashable {
        case never
        case now
        case after(Duration)
    }

    /// Certainly not taken by the service (never sent, above GOAWAY's last id, REFUSED_STREAM): as often as it takes.
    private var notSentSince: MonotonicTime?
    /// A stream that is reset, with REFUSED_STREAM or before its request had left, leaves the connection as it is, so
    /// that nothing but a pause keeps the next attempt from following at once.
    private(set) var refusals = 0
    /// The connection was at fault: an answer that says so, or one about another key.
    private(set) var reconnect = 2
    /// A refused token that has a successor or a second chance; also an answer to credentials that were replaced meanwhile.
    private(set) var token = 1
    /// Sent without an answer, and the request allows a repeat: how often it was repeated.
    private(set) var repeats = 0
    /// Waits for the time that an answer asked for.
    private(set) var waits = 0

    /// The first repeat finds the next connection, those after it the end of a storm: a load balancer that restarts breaks
    /// several connections within a second or two, each with all that was under way.
    private static let pausesOfRepeats: [Duration] = [.zero, .seconds(1), .seconds(5)]

    /// How many refusals in a row are followed by another attempt at once.
    private static let refusalsWithoutPause = 3
    private static let firstPause = Duration.milliseconds(50)
    private static let longestPause = Duration.seconds(2)

    /// What to do with a request that got no answer; spends the allowance.
    ///
    /// - Parameters:
    ///   - failure: how it ended.
    ///   - isOfStream: the server reset the stream, on a connection that goes on.
    ///   - resendsUnknown: whether the request may be repeated when nobody knows what became of it.
    ///   - now: the present.
    ///   - patience: how long a request that is certainly not taken is tried again.
    /// - Returns: ``Decision/never`` when the failure is to be handed out.
    mutating func spend(
        on failure: PushFailure,
        isOfStream: Bool = false,
        resendsUnknown: Bool,
        at now: MonotonicTime,
        patience: Duration
    ) -> Decision {
        switch failure {
        case .unknown:
            guard resendsUnknown, repeats < Self.pausesOfRepeats.count else { return .never }
            repeats += 1
            let pause = Self.pausesOfRepeats[repeats - 1]
            return pause == .zero ? .now : .after(pause)
        case .notSent:
            let since = notSentSince ?? now
            notSentSince = since
            guard now.duration(since: since) < patience else { return .never }
            guard isOfStream else { return .now }
            refusals += 1
            guard refusals > Self.refusalsWithoutPause else { return .now }
            let doublings = min(refusals - Self.refusalsWithoutPause - 1, 10)
            return .after(min(Self.firstPause * (1 << doublings), Self.longestPause))
        }
    }

    /// What to do with a request that has this answer; spends the allowance.
    ///
    /// - Parameters:
    ///   - verdict: what the answer means.
    ///   - hasProspect: credentials newer than the refused ones are at hand, or these are to be tried once more.
    /// - Returns: ``Decision/never`` when the answer is to be handed out.
    mutating func spend(on verdict: AnswerVerdict, hasProspect: Bool) -> Decision {
        switch verdict {
        case .reconnect: Self.take(&reconnect) ? .now : .never
        case .credentialsRefused, .tokenRefused, .tokenOutdated: hasProspect && Self.take(&token) ? .now : .never
        case .final, .throttled, .later: .never
        }
    }

    /// Spends one of the waits that a request may have.
    ///
    /// - Returns: whether one was left.
    mutating func spendWait(of limit: Int) -> Bool {
        guard waits < limit else { return false }
        waits += 1
        return true
    }

    private static func take(_ allowance: inout Int) -> Bool {
        guard allowance > 0 else { return false }
        allowance -= 1
        return true
    }
}
