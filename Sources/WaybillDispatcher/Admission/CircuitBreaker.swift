import WaybillCore
import WaybillFleet
import WaybillTelemetry
import WaybillThreads

/// The circuit breaker of one lane: pure, in the times that it is told.
///
/// A closed one lets messages pass. An open one sends them to the delay queues until its pause is over; then it is half
/// open, and one message, the probe, goes first. The first answer that shows the lane to be sound closes it, else the next
/// pause is twice as long. The probe is a message of notifications that were not sent before, if one comes soon: an earlier
/// push may have timed out because of its device token.
///
/// An operator's order to pause the lane stands above all that: it parks the lane until another order opens it, and what
/// the lane's answers say meanwhile decides what it is then.
struct CircuitBreaker {
    /// Why a lane is parked, which decides for how long.
    enum Cause: Hashable {
        /// The provider refuses its key, certificate, topic or provider token.
        case refused
        /// There is no connection or no provider token. Trying again costs the provider nothing.
        case unreachable
        /// The provider has asked for silence.
        case hold(Duration)

        /// The first pause and the longest.
        var pauses: ClosedRange<Duration> {
            switch self {
            case .refused: .seconds(30)...(.seconds(600))
            case .unreachable: .seconds(15)...(.seconds(60))
            case .hold(let pause): pause...pause
            }
        }

        /// What a record says of it.
        var wait: LaneWait.Reason {
            switch self {
            case .refused: .refused
            case .unreachable: .unreachable
            case .hold: .retryAfter
            }
        }
    }

    private struct Trip {
        var cause: Cause
        var reason: String
        var pause: Duration

        /// How much longer than any other message a repeat waits before it is a probe.
        ///
        /// Its own time-out may have parked the lane. A refusal and a silence that was asked for do not depend on the notification.
        var patienceWithRepeats: Duration {
            cause == .unreachable ? max(CircuitBreaker.freshPatience, pause) : .zero
        }
    }

    private enum State {
        case closed
        case open(until: MonotonicTime, Trip)
        /// One message is on its way to find out.
        case halfOpen(since: MonotonicTime, Trip)
    }

    /// How a message of a lane is to be treated.
    enum Admission: Equatable {
        case send
        /// As `send`; what comes of it decides whether the breaker closes.
        case probe
        case wait(LaneWait.Reason)
    }

    /// A probe without an answer is not waited for longer than this.
    static let probePatience: Duration = .seconds(120)

    /// How long after its pause a lane waits for a probe that was not sent before, at the least.
    static let freshPatience: Duration = .seconds(30)

    /// So many doubts in a row, and nothing sound between them, are taken for a refusal.
    static let doubtsOfARefusal = 3

    /// Nothing sound for so long, while pushes end as not taken, makes a lane unreachable.
    ///
    /// Longer than a busy lane waits while the other side restarts.
    static let starvation = Duration.seconds(60)

    /// Pushes that end without an answer for so long after the first that did, and nothing sound between them, make a lane
    /// unreachable.
    ///
    /// With the usual `dispatch.request_timeout` these went out when the first one had been given up: one lost push parks no
    /// lane, and two, one after the other, do, however little is sent.
    static let silence = Duration.seconds(30)

    private var state = State.closed
    /// When it was parked or opened last, in milliseconds since 1970.
    private var since: Int64
    /// Whether an answer has ever shown it to be sound: what parks it later began in this process.
    private var hasBeenSound = false

    /// A lane that has been answered within this time answers others than the one that times out.
    static let answeringTime = Duration.seconds(60)
    /// Since when it was parked in the process's configuration before this one, until an answer shows it to be sound.
    private var parkedBefore: Int64?
    /// In a row.
    private var doubts = 0
    /// The last answer that showed the lane to be sound, or when the breaker was made.
    private var lastSound: MonotonicTime
    /// When the first push of several ended without an answer; `nil` after a sound answer.
    private var unansweredSince: MonotonicTime?
    /// That the lane shall not send; `nil` while nobody has ordered so.
    var order: LaneOrder?

    /// A closed one.
    ///
    /// - Parameters:
    ///   - now: this moment.
    ///   - date: the same in milliseconds since 1970.
    init(now: MonotonicTime, date: Int64) {
        lastSound = now
        since = date
    }

    /// By what it is parked; `nil` while it is closed.
    private var parked: Trip? {
        switch state {
        case .closed: nil
        case .open(_, let trip), .halfOpen(_, let trip): trip
        }
    }

    // MARK: - What is known of the lane

    /// Whether the provider has answered lately.
    func isAnswering(now: MonotonicTime) -> Bool {
        hasBeenSound && now < lastSound.advanced(by: Self.answeringTime)
    }

    /// Why it is parked; `nil` while the breaker is closed.
    var reason: String? { order?.words ?? parked?.reason }

    /// As ``reason``, as a record says it.
    var wait: LaneWait.Reason? { order == nil ? parked?.cause.wait : .paused }

    /// Since when it sends, or has been parked.
    var history: (since: Int64, isParked: Bool) {
        parked == nil && parkedBefore == nil ? (since, false) : (parkedBefore ?? since, true)
    }

    /// Goes on with what the configuration before this one knew: one that is refused again has been since then.
    mutating func inherit(_ history: (since: Int64, isParked: Bool)) {
        guard case .closed = state else { return }
        if history.isParked { parkedBefore = history.since } else { since = history.since }
    }

    /// What to show: whether it sends, since when, and if not, why and until when.
    func show(in status: inout LaneStatus, now: MonotonicTime, date: Int64) {
        status.since = since
        status.cause = parked?.reason
        status.isSinceExact = hasBeenSound
        if let order {
            status.state = order.state == .draining ? .draining : .paused
            status.cause = order.words
            status.since = order.source.date
            status.isSinceExact = true
            return
        }
        switch state {
        case .closed: status.state = .open
        case .halfOpen: status.state = .probing
        case .open(let until, _):
            status.state = .parked
            status.retryAt = date + Int64(until.duration(since: now) / .milliseconds(1))
        }
    }

    // MARK: - Messages

    /// Whether a message may be sent now.
    ///
    /// - Parameters:
    ///   - isRepeat: whether its notifications were sent in an earlier pass.
    ///   - now: this moment.
    /// - Returns: how to treat it.
    mutating func admit(isRepeat: Bool = false, now: MonotonicTime) -> Admission {
        guard order == nil else { return .wait(.paused) }
        let (due, trip): (MonotonicTime, Trip)
        switch state {
        case .closed: return .send
        case .open(let until, let last): (due, trip) = (until, last)
        case .halfOpen(let since, let last): (due, trip) = (since.advanced(by: Self.probePatience), last)
        }
        guard due.advanced(by: isRepeat ? trip.patienceWithRepeats : .zero) <= now else {
            return .wait(trip.cause.wait)
        }
        state = .halfOpen(since: now, trip)
        return .probe
    }

    /// How long the silence still lasts that the provider has asked for: zero while a probe is under way, `nil` where the lane
    /// is not parked for that.
    func silence(now: MonotonicTime) -> Duration? {
        guard order == nil, let parked, case .hold = parked.cause else { return nil }
        guard case .open(let until, _) = state else { return .zero }
        return max(.zero, until.duration(since: now))
    }

    /// The probe has nothing to find out with: the next message is the next one.
    mutating func returnProbe(now: MonotonicTime) {
        if case .halfOpen(_, let trip) = state { state = .open(until: now, trip) }
    }

    // MARK: - Signs

    /// Opens, which parks the lane; what a parked one hears besides is no news, but for a longer silence that the provider
    /// asks for.
    ///
    /// - Parameters:
    ///   - cause: why.
    ///   - reason: the cause in words, without any token or secret.
    ///   - begin: when that began because of which it is parked, in milliseconds since 1970.
    ///   - now: this moment.
    /// - Returns: how long the lane pauses, or `nil` if it was parked already.
    mutating func trip(_ cause: Cause, reason: String, begin: Int64, now: MonotonicTime) -> Duration? {
        let pauses = cause.pauses
        var pause = pauses.lowerBound
        switch state {
        case .closed: since = parkedBefore ?? begin
        case .halfOpen(_, let last):
            if last.cause == cause { pause = min(last.pause * 2, pauses.upperBound) }
        case .open(let until, let trip):
            if case .hold = cause, until < now.advanced(by: pause) {
                state = .open(until: now.advanced(by: pause), trip)
            }
            return nil
        }
        state = .open(until: now.advanced(by: pause), Trip(cause: cause, reason: reason, pause: pause))
        return pause
    }

    /// The provider has refused the lane's key for a topic that need not be the lane's.
    ///
    /// - Returns: whether that is to be taken for a refusal of the key. A probe that ends so has found out that nothing has
    ///   changed.
    mutating func doubt() -> Bool {
        doubts += 1
        return doubts >= Self.doubtsOfARefusal || parked != nil
    }

    /// A push has ended as not taken, though there are connections.
    ///
    /// - Returns: whether that has gone on for too long; a probe that ends so has found out that nothing has changed.
    func isStarved(now: MonotonicTime) -> Bool {
        lastSound.advanced(by: Self.starvation) <= now || parked != nil
    }

    /// A push has ended without an answer, though it was sent.
    ///
    /// - Returns: whether that has gone on for too long; a probe that ends so has found out that nothing has changed.
    mutating func isSilent(now: MonotonicTime) -> Bool {
        let since = unansweredSince ?? now
        unansweredSince = since
        return since.advanced(by: Self.silence) <= now || parked != nil
    }

    /// Whether a message is on its way to find out whether the lane is sound.
    var isProbing: Bool {
        if case .halfOpen = state { true } else { false }
    }

    /// The provider has answered in a way that shows the lane to be sound.
    ///
    /// - Parameters:
    ///   - now: this moment.
    ///   - date: the same in milliseconds since 1970; asked for where the lane was parked alone.
    /// - Returns: whether the lane was parked until now.
    mutating func close(now: MonotonicTime, date: @autoclosure () -> Int64) -> Bool {
        doubts = 0
        lastSound = now
        hasBeenSound = true
        unansweredSince = nil
        parkedBefore = nil
        guard case .halfOpen = state else { return false }
        state = .closed
        since = date()
        return true
    }
}

extension LaneOrder {
    /// As `paused by anna@push-1: certificate is being replaced`.
    fileprivate var words: String {
        "\(state.rawValue) by \(source.name)" + (source.note.map { ": \($0)" } ?? "")
    }
}
