import WaybillOperations

/// The command that publishes the rest of an input under the same ids.
struct ContinuingCommand {
    /// The words behind `waybill send`, unquoted: the file and its options.
    let arguments: [String]

    /// The command as a shell takes it.
    ///
    /// - Parameters:
    ///   - run: what gives the ids.
    ///   - done: messages at the beginning of the input that the broker has confirmed.
    /// - Returns: one line, every word quoted that needs it.
    func text(run: SendRun, done: Int) -> String {
        let words =
            ["waybill", "send"] + arguments + ["--batch-id", run.batchID, "--at", run.timeText]
            + (done > 0 ? ["--skip", String(done)] : [])
        return words.map(ShellWord.quoted).joined(separator: " ")
    }
}
