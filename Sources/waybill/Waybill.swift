import ArgumentParser
import WaybillMongo

/// The command `waybill`: everything is a subcommand.
@main
struct Waybill: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "waybill",
        abstract: "Sends pushes from RabbitMQ to APNs and FCM, and keeps one truthful record of each in MongoDB.",
        discussion: """
            Examples:
              waybill check --config waybill.yaml         can everything be reached?
              waybill init                                make queues and indexes
              waybill dispatch                            send what comes
              waybill send parcels.ndjson --lane parcels  publish a batch
              waybill status                              does everything work now?
              waybill explain campaign-42                 why didn't it arrive?

            Every push accounted for: a message is acknowledged only after every record in it is durable.

            Settings come from flags (--set), the environment (WAYBILL_…) and the file, in this order of precedence. Data \
            goes to standard output, messages to standard error.
            """ + ExitStatus.help(ExitStatus.ofServers + [.nobody, .badInput, .noInput]),
        version: ProductVersion.current,
        subcommands: [VersionCommand.self],
        groupedSubcommands: [
            CommandGroup(
                name: "Set up",
                subcommands: [
                    InitCommand.self, CheckCommand.self, KeysCommand.self, AccountsCommand.self, ServicesCommand.self,
                    WebhooksCommand.self,
                ]
            ),
            CommandGroup(
                name: "Run",
                subcommands: [
                    RunCommand.self, DispatchCommand.self, PruneCommand.self, FanoutCommand.self, ScheduleCommand.self,
                    ServeCommand.self,
                    HooksCommand.self,
                    StatusCommand.self, TopCommand.self,
                ]
            ),
            CommandGroup(
                name: "Use",
                subcommands: [
                    SendCommand.self, NotifyCommand.self, AudienceCommand.self, CampaignCommand.self,
                    ExplainCommand.self, LogsCommand.self,
                    ExportCommand.self,
                    StatsCommand.self,
                    DevicesCommand.self, RejectedCommand.self, LanesCommand.self, CancelCommand.self,
                ]
            ),
        ]
    )

    static func main() async {
        MongoLibrary.removeCountersFile()
        ProcessEnd.skipHandlersOfLibraries()
        ProcessArguments.require()
        var arguments = Array(CommandLine.arguments.dropFirst())
        if NotifireCommand.isCalled(CommandLine.arguments.first) { return NotifireCommand.start(arguments) }
        if let slip = MisspelledCommand.find(in: arguments, of: Self.self), (try? parseAsRoot(arguments)) == nil {
            end(with: ValidationError(slip.message), arguments: arguments)
        }
        // The version alone is the parser's own; what is loaded with it is a command's.
        if Set(arguments) == ["--version", "--json"] { arguments = ["version", "--json"] }
        await carryOut(arguments)
    }

    /// As the argument parser's own `main`, but for what is said of a command line that it cannot read.
    @concurrent
    private static func carryOut(_ arguments: [String]) async {
        do {
            var command = try parseAsRoot(arguments)
            if var waiting = command as? any AsyncParsableCommand {
                try await waiting.run()
            } else {
                try command.run()
            }
        } catch {
            end(with: error, arguments: arguments)
        }
    }
}
