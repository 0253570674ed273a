import ArgumentParser
import WaybillDeviceRegistry
import WaybillEncoding
import WaybillMongo
import WaybillOperations
import WaybillSettings

/// `waybill devices list`.
struct DevicesListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List devices, or count them.",
        discussion: """
            Examples:
              waybill devices --disabled --limit 20
              waybill devices --app com.example.parcels --count
              waybill devices --token - < token.txt

            Shows what apps have registered, and the tokens that pruning has disabled or suspected. Times are UTC. Other users \
            of the machine see what is on a command line: give a token by standard input (-).
            """ + ExitStatus.help(ExitStatus.ofServers + [.badInput])
    )

    @OptionGroup(title: "Filters") var filters: DeviceFilters

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
            let query = try filters.query()
            try store.pool(for: "devices").withClient { (client) throws(MongoError) in
                let reader = DeviceReader(client: client, database: store.database)
                try show(query, reader)
                guard query.token == nil, try reader.needsUpgrade() else { return }
                Terminal.say(
                    "waybill devices: others are in the layout of an earlier release; waybill devices upgrade converts them"
                )
            }
        }
    }

    private func show(_ query: DeviceQuery, _ reader: DeviceReader) throws(MongoError) {
        if count {
            let number = try CountProgress.shown("device") { (counted) throws(MongoError) in
                try reader.count(query, counted: counted)
            }
            var object = JSONObject()
            object.add("count", number)
            if json { Output.json(object) } else { Output.line("\(number)") }
            return
        }
        let cursor = reader.devices(query, limit: limit)
        var shown = 0
        var devices: [Device] = []
        while let device = try cursor.next() {
            if json { Output.json(device.json) } else { devices.append(device) }
            shown += 1
        }
        let screen = Screen.output
        for (position, line) in DeviceTable(width: screen.width).lines(devices).enumerated() where !devices.isEmpty {
            Output.line(position == 0 ? screen.palette.bold(line) : line)
        }
        if shown == 0 { Terminal.say("waybill devices: nothing found") }
        if shown == limit { Terminal.say("waybill devices: the first \(limit); --limit shows more, --count counts") }
    }
}
