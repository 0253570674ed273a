import WaybillAudience
import WaybillDeliveryLog
import WaybillEncoding
import WaybillFleet
import WaybillMongo
import WaybillNotifications
import WaybillOperations

extension CancelCommand {
    /// Sends what waits of a cancelled batch after all.
    ///
    /// - Throws: ``CommandFailure`` where no cancellation of it holds, and what the store says.
    func lift(
        _ batch: String,
        _ store: MongoClient,
        _ options: DeliveryLogOptions,
        _ clients: PostedClients
    ) throws {
        let lift = try CancellationLift(
            batch: batch,
            client: client,
            source: order.source,
            scope: .all,
            store: store,
            options: options,
            clients: clients
        )
        guard !lift.lifted.isEmpty else {
            throw CommandFailure(.noInput, Self.nothing(lift, of: client))
        }
        // Whoever may not read audiences is told the rest.
        let audiences = AudienceStore(client: store, database: options.database)
        let found = ((try? audiences.records(named: batch)) ?? []) + ((try? audiences.records(cancelKey: batch)) ?? [])
        let ended = found.filter { audience in
            audience.state == .cancelled && lift.lifted.contains { $0.names(batch: batch, client: audience.client) }
        }
        // The same holds of documents.
        let scope = CampaignStore.Scope(clients: client.map { [ExactName($0)] }, unnamed: clients.unnamed)
        let posted = try? PostedLookUp(
            client: store,
            database: options.database,
            scope: scope,
            ofServices: clients.ofServices
        ).notification(batch)
        let words = Self.text(lift, audiences: ended, hasEndedInStore: posted?.state == "cancelled")
        Terminal.say("waybill cancel: \(words)")
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
    ///
    /// - Parameters:
    ///   - lift: the order.
    ///   - audiences: of its name, or with it for their `cancel_key`, which have ended as cancelled.
    ///   - hasEndedInStore: whether a notification of its name in the store has ended as cancelled.
    /// - Returns: what is sent after all, and what is not.
    static func text(
        _ lift: CancellationLift,
        audiences: [AudienceRecord] = [],
        hasEndedInStore: Bool = false
    ) -> String {
        let clients = lift.lifted.compactMap(\.client)
        let whose = clients.count == lift.lifted.count ? " for \(clients.sorted().joined(separator: ", "))" : ""
        let ended =
            switch lift.hasEnded {
            case true?:
                "; what has ended as cancelled stays so: publish it again with a new timestamp, if it is to be sent"
            case false?: "; the log has nothing of it that ended as cancelled"
            case nil: "; what has ended as cancelled stays so"
            }
        let waits =
            audiences.isEmpty && !hasEndedInStore ? "still waits of \(lift.batch)" : "waits of \(lift.batch) in a queue"
        let sent =
            lift.stillCancelled.isEmpty
            ? "what \(waits) is sent\(whose)"
            : "lifted \(lift.batch)\(whose), but it is still cancelled \(lift.whatStillHolds(namingWho: true))"
        let posted =
            hasEndedInStore
            ? "; the notification \(lift.batch) in the store has ended as cancelled, and stays so: insert it under another _id"
            : ""
        return Cell.printable(
            "\(sent)\(ended)\(audiences.map(stays).joined())\(posted)\(DocumentWords.lifted(lift.documents))"
        )
    }

    /// That an audience which has ended is not gone on with.
    private static func stays(_ audience: AudienceRecord) -> String {
        let time = audience.finishedAt.map { " at \(TimeText.text(milliseconds: $0))" } ?? ""
        return "; the audience \(audience.id) of \(audience.client) has ended as cancelled\(time), after "
            + "\(audience.handedOver) were handed over, and stays so: for the others, send it under another name"
    }
}
