import ArgumentParser
import WaybillAudience
import WaybillCore
import WaybillFleet
import WaybillSettings

/// `waybill audience cancel`.
struct AudienceCancelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Send nothing more to an audience.",
        discussion: """
            Examples:
              waybill audience cancel news-7 --note "wrong text"
              waybill audience cancel autumn                every audience with this cancel_key

            The fan-out ends it before its next page, and the dispatchers what they have not sent of an audience of this name, \
            as waybill cancel does. Of audiences that are cancelled by their cancel_key, what was handed over already is sent.
            """ + ExitStatus.help(ExitStatus.ofServers)
    )

    @Argument(help: ArgumentHelp("The audience_id, or a cancel_key.", valueName: "id"))
    var id: String

    @OptionGroup var order: OrderOptions

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        try StoreCommand.run(settings, for: .audience) { client, database in
            let cancellation = Cancellation(batch: BatchName(id), client: nil, source: order.source)
            if let excess = try OrderWriter(client: client, database: database).cancel([cancellation]) {
                throw CommandFailure(.temporary, "\(excess)")
            }
            let record = try AudienceStore(client: client, database: database).record(id)
            let known = record.map { "\($0.handedOver) were handed over by now" } ?? "no audience has this name by now"
            Terminal.say("waybill audience: nothing more of \(Cell.printable(id)) will be sent; \(known)")
        }
    }
}
