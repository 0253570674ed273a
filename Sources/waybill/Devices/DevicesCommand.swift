import ArgumentParser
import WaybillDeviceRegistry
import WaybillEncoding
import WaybillMongo
import WaybillOperations
import WaybillSettings

/// `waybill devices`: the registry of device tokens.
struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List device tokens of the registry.",
        discussion: """
            Examples:
              waybill devices --disabled --limit 20
              waybill devices --token 00fc13adff785122…
              waybill devices --suspected --count

            Shows the tokens that were disabled or suspected by pruning, and what apps have registered. Times are UTC.
            """
    )

    @Option(help: ArgumentHelp("Only this device token, whole.", valueName: "hex"), transform: LogFilters.token)
    var token: [UInt8]?

    @Flag(help: "Only tokens that are disabled.")
    var disabled = false

    @Flag(help: "Only tokens that are suspected.")
    var suspected = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Show at most this many.", valueName: "n")
    )
    var limit = 100

    @Flag(help: "Count them instead of showing them.")
    var count = false

    @Flag(help: "Write NDJSON, with the field names of the registry.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func validate() throws {
        guard limit > 0 else {
            throw ValidationError("The value '\(limit)' is invalid for '--limit <n>': use 1 or more.")
        }
    }

    func run() throws {
        let store = try settings.loadStore(for: .devices)
        try reportingFailures(of: "devices") {
            try store.pool(for: "devices").withClient { (client) throws(MongoError) in
                try show(DeviceReader(client: client, database: store.database))
            }
        }
    }

    private func show(_ reader: DeviceReader) throws(MongoError) {
        let query = DeviceQuery(deviceToken: token, isDisabled: disabled, isSuspected: suspected)
        if count {
            let number = try reader.count(query)
            var object = JSONObject()
            object.add("count", number)
            print(json ? object.text : String(number))
            return
        }
        let cursor = reader.devices(query, limit: limit)
        var shown = 0
        var devices: [Device] = []
        while let device = try cursor.next() {
            if json { print(device.json) } else { devices.append(device) }
            shown += 1
        }
        let screen = Screen.output
        for (position, line) in DeviceTable(width: screen.width).lines(devices).enumerated() where !devices.isEmpty {
            print(position == 0 ? screen.palette.bold(line) : line)
        }
        if shown == 0 { Terminal.say("waybill devices: nothing found") }
        if shown == limit { Terminal.say("waybill devices: the first \(limit); --limit shows more, --count counts") }
    }
}
