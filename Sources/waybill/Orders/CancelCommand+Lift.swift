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
            throw CommandFailure(.noInput, Self.nothing(lift, of: client))
        }
        Terminal.say("waybill cancel: \(Self.text(lift))")
    }

    /// That there is nothing to lift by that name; what it is cancelled by all the same.
    static func nothing(_ lift: CancellationLift, of client: String?) -> String {
        let alone = client.map { " for \($0) alone" } ?? ""
        let words =
            lift.stillCancelled.isEmpty
            ? "\(lift.batch) is not cancelled\(alone)"
            : "no cancellation of \(lift.batch) itself\(alone) holds, but it is cancelled "
                + lift.whatStillHolds(namingWho: true)
        return Cell.printable("\(words); waybill cancel --list shows what is")
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
        let sent =
            lift.stillCancelled.isEmpty
            ? "what still waits of \(lift.batch) is sent\(whose)"
            : "lifted \(lift.batch)\(whose), but it is still cancelled \(lift.whatStillHolds(namingWho: true))"
        return Cell.printable("\(sent)\(ended)")
    }
}
