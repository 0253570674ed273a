import ArgumentParser

/// `waybill campaign`: one content for many devices, prepared, looked at, and then started.
struct CampaignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "campaign",
        abstract: "Prepare one content for many devices, look at it, and start it.",
        discussion: """
            Examples:
              waybill campaign create autumn --app com.example.parcels --body "New colours"
              waybill campaign test autumn --user anna
              waybill campaign preview autumn
              waybill campaign start autumn --at-most 20000
              waybill campaign show autumn
              waybill campaign pause autumn
              waybill campaign resume autumn
              waybill campaign cancel autumn

            A campaign becomes notifications in the store, one for each moment at which devices are told; waybill schedule and \
            waybill fanout send them.
            """ + ExitStatus.help(ExitStatus.ofServers + [.nobody, .badInput, .noInput]),
        subcommands: [
            CampaignCreateCommand.self, CampaignPreviewCommand.self, CampaignTestCommand.self,
            CampaignStartCommand.self, CampaignPauseCommand.self, CampaignResumeCommand.self, CampaignShowCommand.self,
            CampaignCancelCommand.self, CampaignListCommand.self,
        ]
    )
}
