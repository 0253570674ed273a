import ArgumentParser
import WaybillDeviceRegistry
import WaybillSettings

/// `waybill devices show`.
struct DevicesShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show all that the registry knows of a device, with its history.",
        discussion: """
            Examples:
              waybill devices show --token - < token.txt
              waybill devices show --device 4F1D-77 --json
            """ + ExitStatus.help(ExitStatus.ofServers + [.badInput, .noInput])
    )

    @OptionGroup(title: "Filters") var filters: DeviceFilters

    @Flag(help: "Write NDJSON, with the field names of the registry.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func validate() throws {
        guard filters.token != nil || filters.device != nil || filters.user != nil else {
            throw ValidationError("Say whose: '--token', '--device' or '--user'.")
        }
    }

    func run() throws {
        let query = try reading { try filters.query() }
        try StoreCommand.run(settings, for: .devices) { client, database in
            let cursor = DeviceReader(client: client, database: database).devices(query, limit: 100)
            var found = 0
            while let device = try cursor.next() {
                if json {
                    Output.json(device.json)
                } else {
                    if found > 0 { Output.line("") }
                    for line in DeviceStory.lines(device) { Output.line(line) }
                }
                found += 1
            }
            if found == 0 { throw CommandFailure(.noInput, "nothing found") }
        }
    }

    private func reading<Value>(_ work: () throws -> Value) throws -> Value {
        var value: Value?
        try reportingFailures(of: "devices") { value = try work() }
        guard let value else { throw ExitStatus.software.exit }
        return value
    }
}

/// A device in lines for people.
enum DeviceStory {
    static func lines(_ device: Device) -> [String] {
        let rows: [(String, String?)] = [
            ("state", ([device.state.rawValue, device.reason].compactMap(\.self)).joined(separator: ", ")),
            ("provider", device.provider), ("app", device.app), ("environment", device.environment),
            ("token", device.token), ("kind", device.kind), ("device", device.device), ("user", device.user),
            ("tags", device.tags.isEmpty ? nil : device.tags.joined(separator: ", ")), ("locale", device.locale),
            ("time zone", device.timeZone), ("app version", device.appVersion), ("client", device.client),
            ("registered", text(device.registeredAt)), ("seen", text(device.seenAt)),
            ("disabled", text(device.disabledAt)), ("dead since", text(device.invalidSince)),
            ("suspected", text(device.suspectedAt)),
        ]
        let known = rows.compactMap { title, value in value.map { "\(Cell.padded(title, to: 13))\(Cell.printable($0))" }
        }
        return known + device.history.map(line)
    }

    private static func line(_ event: DeviceHistoryEvent) -> String {
        let what = event.event.split(separator: "_").joined(separator: " ")
        let successor = event.successor.map { "…\($0)" }
        let text = ([what, successor].compactMap(\.self)).joined(separator: " ")
        return "  \(DeliveryClock.text(event.at))  \(Cell.printable(event.reason.map { "\(text): \($0)" } ?? text))"
    }

    private static func text(_ date: Int64?) -> String? { date.map(DeliveryClock.text) }
}
