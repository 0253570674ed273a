import ArgumentParser

/// The program's exit statuses besides 0 and 64, after sysexits.h.
enum ExitStatus {
    /// A rules file or a key that cannot be used.
    static let badInput = ExitCode(65)
    /// The simulator could not start.
    static let unavailable = ExitCode(69)
    /// A file that could not be made.
    static let cannotCreate = ExitCode(73)
    /// The record could not be written to its end.
    static let recordFailed = ExitCode(74)
}
