import ArgumentParser
import WaybillAudience
import WaybillDeviceRegistry
import WaybillEncoding
import WaybillSettings

/// `waybill audience count`.
struct AudienceCountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count",
        abstract: "Count the devices of an audience, exactly.",
        discussion: """
            Examples:
              waybill audience count --app com.example.parcels
              waybill audience count --app com.example.parcels --locale de --version-from 2.10 --json
              waybill audience count --app com.example.parcels --user acc_0123456789abcdef --client notifire

            With --json it says also how many are Apple's phones and how many Google's.

            Accounts of people are reached by the client of serve.notifire.services alone: say whose the audience is to be.
            """ + ExitStatus.help(ExitStatus.ofServers)
    )

    @OptionGroup(title: "Devices") var filters: AudienceFilters

    @Option(help: ArgumentHelp("Whose audience it is to be.", valueName: "client"))
    var client: String?

    @Flag(help: "Write one JSON object.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func validate() throws {
        guard try filters.selection().namesAccounts, client == nil else { return }
        throw ValidationError(
            "Accounts of people are reached by one client alone: say whose it is to be with '--client'."
        )
    }

    func run() throws {
        let selection = try filters.selection()
        let owner = client ?? ""
        try StoreCommand.run(settings, for: .audience) { client, database in
            let reader = AudienceReader(client: client, database: database)
            guard json else {
                let count = try CountProgress.shown("device") { counted in
                    try reader.count(selection, of: owner, counted: counted)
                }
                return Output.line("\(count)")
            }
            let shares = try CountProgress.shown("device") { counted in
                try reader.shares(selection, of: owner, counted: counted)
            }
            var object = JSONObject()
            object.add("count", shares.reduce(0) { $0 + $1.devices })
            var providers = JSONObject()
            for provider in DeviceProvider.allCases {
                let own = shares.filter { $0.address?.provider == provider }
                providers.add(provider.rawValue, own.reduce(0) { $0 + $1.devices })
            }
            object.add("providers", providers)
            Output.json(object)
        }
    }
}
