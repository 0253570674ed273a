import WaybillDeliveryLog
import WaybillFleet
import WaybillMongo
import WaybillOperations

extension CancelCommand {
    /// Sends what waits of a cancelled batch after all.
    ///
    /// - Throws: ``CommandFailure`` where no cancellation of it holds, and what the store says.
    func lift(_ batch: String, _ store: MongoClient, _ options: DeliveryLogOptions) throws {
        let lift = try CancellationLift(
            batch: batch,
            client: client,
            source: order.source,
            scope: .all,
            store: store,
            options: options
        )
        guard !lift.lifted.isEmpty else {
            let whose = client.map { " for \(Cell.printable($0)) alone" } ?? ""
            throw CommandFailure(
                .noInput,
                "\(Cell.printable(batch)) is not cancelled\(whose); waybill cancel --list shows what is"
            )
        }
        Terminal.say("waybill cancel: \(Self.text(lift))")
    }

    /// What became of an order to lift.
    static func text(_ lift: CancellationLift) -> String {
        let clients = lift.lifted.compactMap(\.client)
        let whose = clients.count == lift.lifted.count ? " for \(clients.sorted().joined(separator: ", "))" : ""
        let ended =
            switch lift.hasEnded {
            case true?:
                "; what has ended as cancelled stays so: publish it again with a new timestamp, if it is to be sent"
            case false?: "; the log has nothing of it that ended as cancelled"
            case nil: "; what has ended as cancelled stays so"
            }
        return Cell.printable("what still waits of \(lift.batch) is sent\(whose)\(ended)")
    }
}
