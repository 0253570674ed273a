import ArgumentParser
import Foundation
import WaybillDeviceRegistry
import WaybillEncoding
import WaybillSettings

/// `waybill devices import`.
struct DevicesImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Register the devices of a file.",
        discussion: """
            Examples:
              waybill devices import devices.ndjson --dry-run
              waybill devices import devices.csv
              waybill devices import devices.csv --resume

            One device to a line, with the fields of the registry: provider, app, environment, token, kind, device, user, tags, \
            locale, time_zone, app_version, client, registered_at. In CSV the first line names the columns, an empty cell says \
            nothing, and tags are separated by semicolons. A line is a registration at its registered_at, which is never \
            invented: without one a disabled token stays disabled, and a new one ends with the first refusal. One that is yet to \
            come, by more than two minutes, is refused. What waybill devices export has written is taken, too, in both forms: a \
            device that the registry does not know is restored as it was, also a disabled one. Of one that it knows, the \
            state and the history of the file are ignored, and the app's last word counts. CSV has no history. Lines that cannot be taken are named in FILE.rejects, with --dry-run on \
            standard error. After an interruption --resume goes on.
            """
                + ExitStatus.help(
                    ExitStatus.ofServers + [.badInput, .noInput],
                    own: [.badInput: "lines were rejected", .temporary: "interrupted"]
                )
    )

    @Argument(help: ArgumentHelp("The file.", valueName: "file"))
    var file: String

    @Option(help: "ndjson or csv; without it, by the file's name.")
    var format: DeviceFormat?

    @Option(
        help: ArgumentHelp("When devices were registered that do not say: 3d, or a date.", valueName: "time"),
        transform: RegistrationTime.parse
    )
    var registeredAt: Int64?

    @Flag(help: "Examine the file and write nothing.")
    var dryRun = false

    @Flag(help: "Go on with an import that was interrupted, if there is one.")
    var resume = false

    @Flag(help: "Write one JSON object with the counts.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func validate() throws {
        if dryRun, resume { throw ValidationError("'--dry-run' and '--resume' exclude each other.") }
    }

    func run() throws {
        guard let format = format ?? DeviceFormat(rawValue: URL(fileURLWithPath: file).pathExtension) else {
            throw ValidationError("Say with '--format' whether it is ndjson or csv.")
        }
        Interruption.install()
        if dryRun {
            try reportingFailures(of: "devices import") { try importFile(format, registrar: nil) }
        } else {
            try StoreCommand.run(settings, for: .devices) { client, database in
                try DeviceRegistryIndexes.require(client: client, database: database)
                try importFile(format, registrar: DeviceRegistrar(client: client, database: database))
            }
        }
    }

    private func importFile(_ format: DeviceFormat, registrar: DeviceRegistrar?) throws {
        var run = try DeviceImport(
            path: file,
            format: format,
            registrar: registrar,
            registeredAt: registeredAt,
            resumes: resume
        )
        var progress = CountProgress("line")
        let isDone = try run.run { lines in
            progress.update(lines)
            return !Interruption.isAsked
        }
        progress.finish()
        if run.state.columns?.contains("enabled") ?? false {
            Terminal.say("waybill devices import: this form has no history of the devices; NDJSON has")
        }
        for (line, fault) in run.faults {
            let field = fault.field.isEmpty ? "" : "\(Cell.printable(fault.field)) "
            Terminal.say("line \(line): \(field)\(fault.reason)")
        }
        for (line, fault) in run.warnings {
            Terminal.say("line \(line): \(fault.field) is left out: it \(fault.reason)")
        }
        let unnamed = run.state.counts.rejected - run.faults.count
        if dryRun, unnamed > 0 { Terminal.say("and \(Counted.text(unnamed, "more line"))") }
        show(run.state.counts)
        guard isDone else { throw Interruption.failure("the same with --resume goes on") }
        guard run.state.counts.rejected == 0 else {
            let lines = Counted.text(run.state.counts.rejected, "line")
            throw CommandFailure(.badInput, "\(lines) cannot be taken\(dryRun ? "" : ", see \(file).rejects")")
        }
    }

    private func show(_ counts: DeviceImportCounts) {
        guard json else {
            let lines = Counted.text(counts.lines, "line")
            guard !dryRun else {
                return Output.line(
                    "\(lines): \(counts.taken) would be taken, \(counts.rejected) rejected; nothing is written"
                )
            }
            return Output.line(
                """
                \(lines): \(counts.taken) taken, \(counts.rejected) rejected; of the taken \(counts.registered) registered, \
                \(counts.again) enabled again, \(counts.updated) updated, \(counts.unchanged) unchanged, \(counts.older) older \
                than what is known; \(Counted.text(counts.retired, "earlier token")) retired
                """
            )
        }
        var object = JSONObject()
        object.add("lines", counts.lines)
        object.add("taken", counts.taken)
        object.add("registered", counts.registered)
        object.add("again", counts.again)
        object.add("updated", counts.updated)
        object.add("unchanged", counts.unchanged)
        object.add("older", counts.older)
        object.add("rejected", counts.rejected)
        object.add("warnings", counts.warned)
        object.add("retired", counts.retired)
        Output.json(object)
    }
}
