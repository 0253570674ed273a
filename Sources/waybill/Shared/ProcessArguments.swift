import Glibc

/// Where the runtime finds out what a command was asked for.
enum ProcessArguments {
    private static let file = "/proc/self/cmdline"

    /// Ends the process where its arguments cannot be known: Swift's runtime reads them below /proc, and takes a command for
    /// one without any, or crashes, where that is not mounted.
    static func require() {
        guard access(file, R_OK) != 0 else { return }
        Terminal.say("waybill: cannot read \(file), by which a program knows its arguments: mount proc at /proc")
        exit(ExitStatus.configuration.rawValue)
    }
}
