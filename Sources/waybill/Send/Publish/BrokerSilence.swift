import WaybillAMQP
import WaybillEncoding
import WaybillThreads

/// Tells of a broker that confirms nothing while it should, and gives it up in the end: also while a publication waits for the
/// socket of a broker that reads nothing, which has no limit of its own.
///
/// *Thread:* it has one, `wb-silence`, from ``watch()`` to ``end()``; all else is for whoever publishes.
final class BrokerSilence: Sendable {
    /// After so much of it somebody is told, who has an answer within ten seconds.
    static let noticeable = Duration.seconds(8)
    /// So much of it counts as a failure.
    static let patience = Duration.seconds(30)
    private static let step = Duration.milliseconds(250)

    private struct State {
        var since = MonotonicTime.now()
        var open = 0
        var isBlocked = false
        var isTold = false
        var isOver = false
        var hasCut = false
    }

    private let state = Guarded(State())
    private let broker: String
    private let interrupt: AMQPInterrupt

    /// - Parameters:
    ///   - broker: what it is called.
    ///   - interrupt: of the connection.
    init(of broker: String, _ interrupt: AMQPInterrupt) {
        self.broker = broker
        self.interrupt = interrupt
    }

    /// Why it was given up; `nil` while it was not.
    var failure: CommandFailure? {
        state.withLock { $0.hasCut ? Self.failure(of: broker, open: $0.open) : nil }
    }

    static func failure(of broker: String, open: Int) -> CommandFailure {
        CommandFailure(
            .unavailable,
            "the broker \(broker) has confirmed nothing for \(DurationText.text(patience)), "
                + "and \(Counted.text(open, "message")) \(open == 1 ? "waits" : "wait") for that"
        )
    }

    /// Begins to look.
    func watch() throws(ThreadError) {
        _ = try NamedThread.start(name: "wb-silence") { [self] in
            while look() { NamedThread.sleep(for: Self.step) { false } }
        }
    }

    /// Ends looking.
    func end() {
        state.withLock { $0.isOver = true }
    }

    /// Takes note of how far the run has come.
    func note(_ progress: SendProgress, isBlocked: Bool) {
        state.withLock { state in
            if state.since != progress.lastProgress { state.isTold = false }
            state.since = progress.lastProgress
            state.open = progress.open
            state.isBlocked = isBlocked
        }
    }

    /// - Returns: whether to look again.
    private func look() -> Bool {
        let (isOver, words) = state.withLock { state -> (Bool, String?) in
            guard !state.isOver else { return (true, nil) }
            // A broker that says that it is blocked has been told of.
            guard state.open > 0, !state.isBlocked else { return (false, nil) }
            let silence = MonotonicTime.now().duration(since: state.since)
            // Whoever waits for an event gives up by itself at the end of the patience.
            if silence > Self.patience + .seconds(1) {
                state.hasCut = true
                return (true, nil)
            }
            guard silence >= Self.noticeable, !state.isTold else { return (false, nil) }
            state.isTold = true
            return (false, Self.notice(of: broker))
        }
        if let words { Terminal.say("waybill send: \(words)") }
        if isOver, failure != nil { interrupt.cut() }
        return !isOver
    }

    static func notice(of broker: String) -> String {
        "no answer of the broker \(broker) within \(DurationText.text(noticeable)); it hangs, or something between takes nothing; "
            + "waiting up to \(DurationText.text(patience))"
    }
}
