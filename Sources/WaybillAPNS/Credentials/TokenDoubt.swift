import WaybillPushTransport
import WaybillThreads

/// What APNs' refusals say about one provider token.
///
/// A single refusal may be the connection's fault: connections were seen to be stuck that went on to refuse a token which
/// others took. So a refused token gets one second chance, after a pause and on a new connection; the refusal of a request
/// that was sent after the pause is the last word. What was under way before counts once, however late its answers come.
struct TokenDoubt {
    /// How long a refused token is not used, before it is used once more: long enough for most of what is under way to
    /// come back, and short, since the whole lane waits.
    static let pause = Duration.seconds(2)

    /// The token's.
    let serial: Int
    /// The latest refusal.
    private(set) var refusal: TokenRefusal
    /// Whether the token is never sent again.
    private(set) var isFinal = false
    /// When the token may be used once more.
    private let end: MonotonicTime

    /// APNs refused a token of which nothing bad was known.
    init(serial: Int, _ refusal: TokenRefusal, at now: MonotonicTime) {
        self.serial = serial
        self.refusal = refusal
        end = now.advanced(by: Self.pause)
    }

    /// APNs refused it again, to a request that was sent at this time.
    mutating func refused(_ refusal: TokenRefusal, sentAt: MonotonicTime) {
        self.refusal = refusal
        if sentAt >= end { isFinal = true }
    }

    /// Whether a good answer at this time shows that the token is good after all.
    func isDispelled(at now: MonotonicTime) -> Bool { !isFinal && now >= end }

    /// Whether the token may not be used now.
    func bars(at now: MonotonicTime) -> Bool { isFinal || now < end }

    /// When the second chance comes; `nil` when it has come, or never will.
    func secondChance(at now: MonotonicTime) -> MonotonicTime? { !isFinal && now < end ? end : nil }
}
