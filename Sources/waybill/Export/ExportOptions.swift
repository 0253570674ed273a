import ArgumentParser

/// The options of all exports.
struct ExportOptions: ParsableArguments {
    @Option(help: "ndjson, one object to a line with the field names of the store, or csv.")
    var format: ExportFormat = .ndjson

    @Option(name: .shortAndLong, help: ArgumentHelp("The file to write.", valueName: "file"))
    var output: String

    @Flag(help: "Go on with an export that was interrupted, if there is one; one that is whole is left as it is.")
    var resume = false

    func validate() throws {
        guard !output.isEmpty, output != "-" else {
            throw ValidationError(
                "'--output' names a file; --json of the command that searches writes to standard output."
            )
        }
    }

    /// Runs an export to its end or until it is interrupted, and says what came of it.
    ///
    /// - Parameters:
    ///   - run: the export.
    ///   - noun: what it writes, one of them.
    ///   - command: what begins the line.
    /// - Returns: how many it has written.
    /// - Throws: ``CommandFailure``, and what the store says.
    @discardableResult
    func carryOut(_ run: inout ExportRun, of noun: String, command: String) throws -> Int {
        var progress = CountProgress(noun)
        let manifest = try run.run { count in
            progress.update(count)
            return !Interruption.isAsked
        }
        progress.finish()
        guard let manifest else {
            throw Interruption.failure("the same with --resume goes on")
        }
        let contents = "\(Counted.text(manifest.records, noun)) in \(output), SHA-256 \(manifest.sha256)"
        Terminal.say("waybill \(command): \(contents)\(run.wasWhole ? "; it was whole already" : "")")
        return manifest.records
    }
}
