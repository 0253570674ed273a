import WaybillCore

/// What the outcomes of one turn say of their lane, taken together, for its circuit breaker.
struct LaneSigns {
    /// What is to be done with the breaker.
    enum Verdict: Equatable {
        case nothing
        case close
        case trip(CircuitBreaker.Cause, reason: String)
        /// The provider has failed, and nothing sound stands beside it: the fewest seconds that an answer asked for.
        case overload(seconds: Int, reason: String, isProbe: Bool)
        /// One more sign that the key is refused, and none that it is not.
        case doubt(reason: String)
        /// Nothing was taken, and there were connections.
        case starve(reason: String)
        /// Nothing was answered in time.
        case silence(reason: String)
        /// A probe has ended and has found out nothing.
        case returnProbe
    }

    private var refusal: String?
    private var hold: (seconds: Int, reason: String)?
    private var overload: (seconds: Int, reason: String)?
    private var unreachable: String?
    private var doubt: String?
    private var starvation: String?
    private var silence: String?
    private var isSound = false
    private var hasProbe = false

    /// Takes a sign.
    ///
    /// - Parameters:
    ///   - sign: what one end says.
    ///   - isProbe: whether it is the end of a probe.
    ///   - isLostAgain: the notification was sent in an earlier pass, on a lane that has been answered. Another push without an
    ///     answer then says nothing of the lane.
    mutating func note(_ sign: LaneSign, isProbe: Bool, isLostAgain: @autoclosure () -> Bool = false) {
        hasProbe = hasProbe || isProbe
        switch sign {
        case .sound: isSound = true
        case .none: break
        case .refused(let reason): refusal = refusal ?? reason
        case .doubtful(let reason): doubt = doubt ?? reason
        case .starved(let reason): starvation = starvation ?? reason
        case .unanswered(let reason): if !isLostAgain() { silence = silence ?? reason }
        case .unreachable(let reason): unreachable = unreachable ?? reason
        case .hold(let seconds, let reason):
            if seconds > hold?.seconds ?? 0 { hold = (seconds, reason) }
        case .overloaded(let seconds, let reason):
            if seconds < overload?.seconds ?? .max { overload = (seconds, reason) }
        }
    }

    /// A refusal weighs most: one that stands beside good answers comes from a key that has just been revoked, say.
    var verdict: Verdict {
        if let refusal { return .trip(.refused, reason: refusal) }
        if let hold { return .trip(.hold(.seconds(hold.seconds)), reason: hold.reason) }
        if isSound { return .close }
        if let overload { return .overload(seconds: overload.seconds, reason: overload.reason, isProbe: hasProbe) }
        if let doubt { return .doubt(reason: doubt) }
        if let unreachable { return .trip(.unreachable, reason: unreachable) }
        if let starvation { return .starve(reason: starvation) }
        if let silence { return .silence(reason: silence) }
        return hasProbe ? .returnProbe : .nothing
    }
}
