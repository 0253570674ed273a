import ArgumentParser
import WaybillDeviceRegistry
import WaybillEncoding
import WaybillSettings

/// `waybill devices upgrade`.
struct DevicesUpgradeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upgrade",
        abstract: "Convert devices of the layout of release 0.2.",
        discussion: """
            Examples:
              waybill devices upgrade
              waybill devices upgrade --json

            device_token becomes token, topic becomes app, and enabled says what disabled_at said. Run it after waybill init, \
            when the index of the earlier layout is dropped; prune may run beside it. It may be interrupted and repeated. Exit \
            status 75 when interrupted, 65 when devices are left that cannot be read.
            """ + ExitStatus.help(ExitStatus.ofServers + [.badInput])
    )

    @Flag(help: "Write one JSON object: what was converted, merged and left.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        Interruption.install()
        try StoreCommand.run(settings, for: .devices) { client, database in
            try DeviceRegistryIndexes.require(client: client, database: database)
            var bar = CountProgress("device")
            let counts = try DeviceUpgrade(client: client, database: database).run { counts in
                bar.update(counts.converted + counts.merged)
                return !Interruption.isAsked
            }
            bar.finish()
            guard let counts else { throw Interruption.failure("the same command goes on") }
            show(counts)
            guard counts.left == 0 else {
                let devices = Counted.text(counts.left, "device")
                throw CommandFailure(
                    .badInput,
                    """
                    \(devices) cannot be converted: token, topic or environment is not what it should be; in mongosh: \
                    db.getSiblingDB("\(database)").devices.find({device_token: {$exists: true}})
                    """
                )
            }
        }
    }

    private func show(_ counts: DeviceUpgrade.Counts) {
        guard json else {
            return Output.line(
                "\(Counted.text(counts.converted, "device")) converted, \(counts.merged) merged with what was there"
            )
        }
        var object = JSONObject()
        object.add("converted", counts.converted)
        object.add("merged", counts.merged)
        object.add("left", counts.left)
        Output.json(object)
    }
}
