extension ExitStatus {
    /// Those of every command that asks broker or store.
    static let ofServers: [ExitStatus] = [.unavailable, .software, .temporary, .permission, .configuration]
    /// Those of a service, which ends by itself for nothing that passes.
    static let ofServices: [ExitStatus] = [.unavailable, .software, .permission, .configuration]
    private static let usage: Int32 = 64

    /// What it means, in a few words without a comma.
    private var words: String {
        switch self {
        case .badInput: "bad input"
        case .noInput: "an input is not there"
        case .nobody: "nobody would get it"
        case .unavailable: "something cannot be reached"
        case .software: "a fault of the program"
        case .temporary: "try again later"
        case .permission: "permission"
        case .configuration: "configuration"
        }
    }

    /// The last paragraph of a command's help; `scripts/lib/manual.py` makes a section of the manual page of it.
    ///
    /// - Parameters:
    ///   - statuses: all that the command ends with, beside 0 and 64.
    ///   - done: what 0 means.
    ///   - own: what a status means for this command alone, in a few words without a comma.
    /// - Returns: the paragraph, with an empty line in front.
    static func help(_ statuses: [ExitStatus], done: String = "done", own: [ExitStatus: String] = [:]) -> String {
        let others = Set(statuses).sorted { $0.rawValue < $1.rawValue }.map { "\($0.rawValue) \(own[$0] ?? $0.words)" }
        return "\n\nExit status: " + (["0 \(done)", "\(usage) usage"] + others).joined(separator: ", ") + "."
    }
}
