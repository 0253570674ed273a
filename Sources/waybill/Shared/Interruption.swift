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

    private static func note() { wasAsked.store(true, ordering: .relaxed) }
}
