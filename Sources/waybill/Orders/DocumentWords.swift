import WaybillCore
import WaybillFleet
import WaybillNotifications
import WaybillOperations
import WaybillSettings

/// What is said of notifications in the store that an order is about.
enum DocumentWords {
    /// That they end, or that the order does not hold for them.
    ///
    /// - Parameters:
    ///   - documents: what became of them.
    ///   - order: as it was given.
    ///   - clients: whose documents are that do not say so, as far as the command knows.
    /// - Returns: sentences of their own; empty where there is nothing to say.
    static func cancelled(_ documents: OrderedDocuments, _ order: Cancellation, _ clients: PostedClients) -> [String] {
        let name = Cell.printable(order.batch.name)
        switch documents {
        case .changed(let count):
            let changed =
                count > 0
                ? [
                    "\(Counted.text(count, "notification")) of this name in the store "
                        + "\(count == 1 ? "ends" : "end") as cancelled"
                ] : []
            guard let client = order.client, clients.ofServices == nil else { return changed }
            return changed + [
                "a notification \(name) in the store that a service says is not cancelled by this: this configuration has no "
                    + "serve.notifire.services, and does not say whether it is \(Cell.printable(client))'s. If there is one, set "
                    + "its field cancel to true, or cancel without --client"
            ]
        case .refused(let reason):
            return [
                "a notification \(name) in the store that was not handed over yet is sent all the same: it cannot be changed here "
                    + "(update on notifications): \(Cell.printable(reason)). If there is one, set its field cancel to true"
            ]
        }
    }

    /// That some are sent after all, or are not.
    static func lifted(_ documents: OrderedDocuments) -> String {
        switch documents {
        case .changed(0): ""
        case .changed(let count):
            "; \(Counted.text(count, "notification")) of this name in the store \(count == 1 ? "is" : "are") sent, too"
        case .refused(let reason):
            "; a notification of this name in the store that was cancelled stays so: it cannot be changed here (update on "
                + "notifications): \(reason)"
        }
    }
}

extension PostedClients {
    /// Those of a configuration.
    init(_ sections: ConfigurationSections) {
        self.init(unnamed: sections.schedule.client, ofServices: sections.serve?.services?.client)
    }
}
