import Glibc

/// The signals that end the program, taken in order instead of at random moments.
package enum EndSignals {
    private static var ending: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        return set
    }

    /// Keeps SIGTERM and SIGINT back for ``waitForEnd()``.
    ///
    /// Call before any thread is made: threads inherit it.
    package static func holdBack() {
        var set = ending
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Waits for one of them.
    package static func waitForEnd() {
        var set = ending
        var signal: Int32 = 0
        while sigwait(&set, &signal) != 0 {}
    }
}
