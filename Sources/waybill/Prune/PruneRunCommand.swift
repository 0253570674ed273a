import ArgumentParser
import WaybillSettings

/// `waybill prune run`, or `waybill prune` alone.
struct PruneRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run the worker that disables dead device tokens.",
        discussion: """
            Examples:
              waybill prune --config waybill.yaml
              waybill devices --disabled --limit 20      what has been disabled

            Consumes the invalid-token events and disables the token in the collection devices: a dead one only if it was \
            registered no later than APNs says it died, a suspect one is marked and stays enabled. Nothing is ever erased. \
            Runs until SIGTERM or SIGINT; SIGHUP reads the configuration again.

            An event counts as far as the delivery log has the refusal that it names. Where the record is gone, the token is \
            marked and stays enabled; what contradicts the log is ignored. --trust events believes whoever may write to the \
            queue: for events of other systems, which have no record here.

            Where a lane's push service calls far more tokens dead or wrong than usual, it is not believed: events are held until a             person decides (waybill prune status), and what they had changed is taken back. prune.fuse in the configuration says when.             With --trust events there is no such fuse.
            """ + ExitStatus.help(ExitStatus.ofServices)
    )

    @Option(help: ArgumentHelp("log or events: whom to believe about a token.", valueName: "log|events"))
    var trust = PruneRole.Trust.log

    @OptionGroup var settings: ConfigurationOptions
    @OptionGroup(title: "Logging") var logging: LoggingOptions

    func run() async throws {
        let sections = try settings.load(for: .prune)
        try await reportingFailures(of: "prune") {
            try await RoleWork.run([PruneRole(settings: settings, logging: logging, trust: trust).prepare(sections)])
        }
    }
}
