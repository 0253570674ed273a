import Glibc

/// How the process ends.
enum ProcessEnd {
    /// Lets the process end without the exit handlers of the C libraries.
    ///
    /// OpenSSL's takes away what threads of libmongoc may be using still, and a failed precondition there turns the end of a
    /// command into an abort. The system takes back whatever a process had. Handlers run in the reverse order of their
    /// registration, so this one comes before those that libraries have registered as they were loaded.
    static func skipHandlersOfLibraries() {
        _ = on_exit(
            { status, _ in
                fflush(nil)
                _exit(status)
            },
            nil
        )
    }
}
