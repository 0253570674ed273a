import ArgumentParser

/// `waybill audience`: one content for the devices of an app.
struct AudienceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audience",
        abstract: "Send one content to the devices of an app.",
        discussion: """
            Examples:
              waybill audience count --app com.example.parcels --tag beta
              waybill audience send --id n-7 --client acme --app com.example --message Hi
              waybill audience show n-7
              waybill audience cancel n-7

            waybill fanout finds the devices in the registry and hands them to the dispatchers, a thousand at a time.
            """ + ExitStatus.help(ExitStatus.ofServers + [.badInput, .noInput]),
        subcommands: [
            AudienceCountCommand.self, AudienceSendCommand.self, AudienceShowCommand.self, AudienceCancelCommand.self,
        ]
    )
}
