import ArgumentParser
import WaybillCore
import WaybillFleet
import WaybillSettings

/// `waybill cancel`: sends nothing more of a batch.
struct CancelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Send nothing more of a batch.",
        discussion: """
            Examples:
              waybill cancel parcels-7
              waybill cancel parcels-7 --client acme --note "wrong text"
              waybill logs --batch parcels-7 --count        what had been sent by then

            Every dispatcher follows within seconds. A notification that was not sent yet ends as cancelled: at once what a \
            dispatcher has in hand, and what was tried and put off; the rest when its turn comes in the queue, or, of a lane that \
            is parked, when its delay is over. What was sent stays sent. The order holds for everything that was published before it, the parts NAME.1, NAME.2 and so on \
            too; what is published later under the same name is sent. Of messages without a time of their own, it holds for \
            those that a dispatcher sees within six hours.
            """
    )

    @Argument(help: ArgumentHelp("The batch_id of the messages.", valueName: "batch"))
    var batch: String

    @Option(help: ArgumentHelp("Of this client only; without it, of all.", valueName: "client"))
    var client: String?

    @OptionGroup var order: OrderOptions

    @OptionGroup var settings: ConfigurationOptions

    func validate() throws {
        guard !batch.isEmpty else { throw ValidationError("Say which batch.") }
    }

    func run() throws {
        try StoreCommand.run(settings, for: .cancel) { store, database in
            let cancellation = Cancellation(batch: BatchName(batch), client: client, source: order.source)
            if let excess = try OrderWriter(client: store, database: database).cancel([cancellation]) {
                throw CommandFailure(.temporary, "\(excess)")
            }
            Terminal.say("waybill cancel: nothing more of \(Cell.printable(batch)) will be sent")
        }
    }
}
