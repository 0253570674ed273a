import Glibc
import Synchronization

/// Ctrl-C and SIGTERM, noted instead of obeyed, so that a command can say what it has done.
///
/// *Thread:* any. The second signal ends the process as usual: ``install()`` is for one.
enum Interruption {
    private static let wasAsked = Atomic(false)

    /// Notes the first SIGINT or SIGTERM from now on.
    static func install() {
        // Made before a signal can come: a handler must not be the first to touch it.
        wasAsked.store(false, ordering: .relaxed)
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in Interruption.note() }
        action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
        sigaction(SIGINT, &action, nil)
        sigaction(SIGTERM, &action, nil)
    }

    /// Whether a signal has come.
    static var isAsked: Bool { wasAsked.load(ordering: .relaxed) }

    /// The longest wait of a command without a look at the signals.
    static let turn = Duration.milliseconds(200)
    /// How long an interrupted command waits for the broker's word on what it has published.
    static let lastPatience = Duration.seconds(5)

    /// The end of a command that was interrupted.
    ///
    /// - Parameter words: what was done, and how to go on; `nil` where that is said besides.
    /// - Returns: what ends it; the same command may succeed later.
    static func failure(_ words: String? = nil) -> CommandFailure {
        CommandFailure(.temporary, "interrupted" + (words.map { "; \($0)" } ?? ""))
    }

    private static func note() { wasAsked.store(true, ordering: .relaxed) }
}
