import Glibc

/// How the process ends.
enum ProcessEnd {
    /// Lets the process end without the exit handlers of the C libraries, once its output is written.
    ///
    /// OpenSSL's takes away what threads of libmongoc may be using still, and a failed precondition there turns the end of a
    /// command into an abort. The system takes back whatever a process had. Handlers run in the reverse order of their
    /// registration, so this one comes before those that libraries have registered as they were loaded.
    static func skipHandlersOfLibraries() {
        _ = on_exit(
            { status, _ in
                let status = ProcessEnd.status(status, Output.close())
                fflush(nil)
                _exit(status)
            },
            nil
        )
    }

    /// The status that the process ends with; says what is lost.
    ///
    /// A command that has failed otherwise keeps its own. A reader that has gone away has what it wanted.
    private static func status(_ status: Int32, _ failure: OutputFailure?) -> Int32 {
        guard let failure, !failure.isClosedPipe else { return status }
        Terminal.say("waybill: \(failure)")
        return status == 0 ? ExitStatus.unavailable.rawValue : status
    }
}
