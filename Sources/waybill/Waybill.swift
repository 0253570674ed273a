import ArgumentParser
import WaybillMongo

/// The command `waybill`: everything is a subcommand.
@main
struct Waybill: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "waybill",
        abstract: "Sends Apple push notifications from RabbitMQ and keeps one truthful record of each in MongoDB.",
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
        if NotifireCommand.isCalled(CommandLine.arguments.first) { return NotifireCommand.main() }
        let arguments = Array(CommandLine.arguments.dropFirst())
        if let slip = MisspelledCommand.find(in: arguments, of: Self.self), (try? parseAsRoot(arguments)) == nil {
            exit(withError: ValidationError(slip.message))
        }
        // The version alone is the parser's own; what is loaded with it is a command's.
        if Set(arguments) == ["--version", "--json"] { return await main(["version", "--json"]) }
        await main(nil)
    }
}
