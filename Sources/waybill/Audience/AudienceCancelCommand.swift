import ArgumentParser
import WaybillAudience
import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding
import WaybillFleet
import WaybillNotifications
import WaybillOperations
import WaybillSettings

/// `waybill audience cancel`.
struct AudienceCancelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Send nothing more to an audience.",
        discussion: """
            Examples:
              waybill audience cancel news-7 --note "wrong text"
              waybill audience cancel news-7 --client acme  where others may have one of this name, too
              waybill audience cancel autumn                every audience with this cancel_key

            The fan-out ends it before its next page, and the dispatchers what they have not sent of an audience of this name, \
            as waybill cancel does; also one whose message still waits in the fan-out's queue. Of audiences that are cancelled by their cancel_key, what was handed over already is sent.
            """ + ExitStatus.help(ExitStatus.ofServers)
    )

    @Argument(help: ArgumentHelp("The audience_id, or a cancel_key.", valueName: "id"))
    var id: String

    @Option(help: ArgumentHelp("Of this client only; without it, of all.", valueName: "client"))
    var client: String?

    @OptionGroup var order: OrderOptions

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        let sections = try settings.load(for: .audience)
        let clients = PostedClients(sections)
        try StoreCommand.run(try ConfigurationOptions.present(sections.store), for: .audience) { store, database in
            let audiences = AudienceStore(client: store, database: database)
            let isMeant = { (record: AudienceRecord) in client?.isExactly(record.client) ?? true }
            // What cannot be looked up is cancelled all the same.
            let known = (try? audiences.records(named: id))?.filter(isMeant) ?? []
            let keyed = (try? audiences.records(cancelKey: id))?.filter(isMeant) ?? []
            let orders = (try? OrderReader(client: store, database: database).orders().cancelled) ?? []
            let cancellation = Cancellation(batch: BatchName(id), client: client, source: order.source)
            if let given = orders.first(where: { $0.isSameOrder(as: cancellation) }),
                let words = CancelledAudiences.alreadyEnded(id, client, known: known, keyed: keyed, orders: orders)
            {
                let posted = UndecidedDocuments(client: store, database: database, clients: clients)
                let documents = try OrderedDocuments(cancelling: [given], among: posted)
                return say([words] + DocumentWords.cancelled(documents, cancellation, clients))
            }
            let given = try BatchCancellation(
                [cancellation],
                scope: .all,
                store: store,
                options: DeliveryLogOptions(database: database, retention: RetentionPolicy(default: .keep)),
                clients: clients
            )
            if let excess = given.excess { throw CommandFailure(.temporary, "\(excess)") }
            let words = CancelledAudiences.words(
                id,
                named: try audiences.records(named: id).filter(isMeant),
                keyed: try audiences.records(cancelKey: id).filter(isMeant)
            )
            say([words] + DocumentWords.cancelled(given.documents, cancellation, clients))
        }
    }

    private func say(_ lines: [String]) {
        for words in lines { Terminal.say("waybill audience: \(words)") }
    }
}
