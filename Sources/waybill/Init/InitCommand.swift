import ArgumentParser
import WaybillAMQP
import WaybillAccounts
import WaybillAudience
import WaybillDeliveryLog
import WaybillDeviceRegistry
import WaybillEncoding
import WaybillFleet
import WaybillMessages
import WaybillMongo
import WaybillNotifications
import WaybillOperations
import WaybillOutbox
import WaybillReceipts
import WaybillSettings
import WaybillThreads

/// `waybill init`: what the pipeline needs from broker and store.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Declare the exchanges and the queues, and create the indexes.",
        discussion: """
            Examples:
              waybill init --config waybill.yaml
              waybill init --json | jq 'select(.change == "created")'

            Safe to repeat: what is there stays as it is, and what is missing is made. A log of 0.2.0 is converted, which takes \
            minutes with millions of records and may be interrupted and repeated. A queue or \
            an index that exists with other settings is an error with the command that would make room for it.
            """ + ExitStatus.help(ExitStatus.ofServers)
    )

    @Flag(help: "Write NDJSON, one object for each queue, exchange and index.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        let configuration = try settings.load(for: .initialise)
        let broker = try ConfigurationOptions.present(configuration.broker)
        let store = try ConfigurationOptions.present(configuration.store)
        try reportingFailures(of: "init") {
            try declareQueues(broker, configuration.topology(broker))
            try createIndexes(store)
        }
        if let message = ClientAppsCheck.message(configuration.clientsWithoutApps) {
            Terminal.say("waybill init: \(message). \(ClientAppsCheck.advice(configuration))")
        }
    }

    private func declareQueues(_ broker: BrokerSettings, _ topology: Topology) throws {
        let endpoint = try broker.endpoint(for: "init")
        let connection = try AMQPConnection.open(endpoint)
        defer { connection.close() }
        for change in try topology.declare(on: connection, virtualHost: endpoint.virtualHost) {
            show(change.kind.rawValue, change.name, isNew: change.change == .created)
        }
    }

    private func createIndexes(_ store: StoreSettings) throws {
        // The answer comes when the indexes are complete: minutes in a log of millions, longer than that on a small machine.
        try store.pool(for: "init", silence: .seconds(86_400)).withClient { (client) throws(MongoError) in
            let days = DeliveryDayUpgrade(client: client, database: store.database)
            try fill(days)
            let changes =
                try DeliveryLogIndexes.ensure(client: client, database: store.database)
                + StatisticsIndexes.ensure(client: client, database: store.database)
                + DeviceRegistryIndexes.ensure(client: client, database: store.database)
                + FuseIndexes.ensure(client: client, database: store.database)
                + FleetIndexes.ensure(client: client, database: store.database)
                + AudienceIndexes.ensure(client: client, database: store.database)
                + AccountsIndexes.ensure(client: client, database: store.database)
                + NotificationIndexes.ensure(client: client, database: store.database)
                + CampaignIndexes.ensure(client: client, database: store.database)
                + OutboxIndexes.ensure(client: client, database: store.database)
                + ReceiptIndexes.ensure(client: client, database: store.database)
            for index in changes {
                show("index", "\(store.database).\(index.collection).\(index.name)", isNew: index.change == .created)
            }
            for name in try days.finish() {
                Terminal.say("waybill init: the index \(name) of an earlier release was dropped")
            }
            for index in try DeliveryLogIndexes.leftovers(client: client, database: store.database) {
                Terminal.say(
                    "waybill init: the index \(index.name) is of an earlier release and not needed any more; "
                        + "when no process of that release runs, drop it in mongosh: \(index.command)"
                )
            }
            let former = try DeviceRegistryIndexes.leftovers(client: client, database: store.database)
            for index in former {
                Terminal.say(
                    "waybill init: the index \(index.name) is of an earlier release, and prune does not start with it; "
                        + "when no process of that release runs, drop it in mongosh: \(index.command)"
                )
            }
            if try DeviceReader(client: client, database: store.database).needsUpgrade() {
                Terminal.say(
                    "waybill init: devices are in the layout of an earlier release; convert them with: waybill devices upgrade"
                )
            }
            let places = try DevicePlaceUpgrade(client: client, database: store.database).run()
            if places > 0 {
                Terminal.say(
                    "waybill init: locale and time zone of \(Counted.text(places, "device")) made canonical"
                )
            }
        }
    }

    /// Gives records of 0.2.0 their day; says how far it has come, once in a while.
    private func fill(_ days: DeliveryDayUpgrade) throws(MongoError) {
        var next = MonotonicTime.now()
        let hadRecords = try days.fill { passed, all in
            guard MonotonicTime.now() >= next else { return }
            next = MonotonicTime.now().advanced(by: .seconds(10))
            Terminal.say("waybill init: the day of records is filled in: \(passed) of about \(all)")
        }
        if hadRecords { Terminal.say("waybill init: all records have their day; the index of device tokens is built") }
    }

    private func show(_ kind: String, _ name: String, isNew: Bool) {
        let change = isNew ? "created" : "exists"
        guard json else {
            Output.line("\(Cell.padded(change, to: 8))\(Cell.padded(kind, to: 9))\(name)")
            return
        }
        var object = JSONObject()
        object.add("kind", kind)
        object.add("name", name)
        object.add("change", change)
        Output.json(object)
    }
}
