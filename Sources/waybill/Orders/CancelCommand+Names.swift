import WaybillDeliveryLog
import WaybillMongo
import WaybillOperations

extension CancelCommand {
    /// The order of a client whose name is misspelled holds, and stops nothing.
    func sayWhoIsNotKnown(_ store: MongoClient, _ database: String) {
        guard let client else { return }
        let names = KnownNames(client: store, database: database, scope: .all)
        if let hint = names.hint(client: TextFilter([client])) {
            Terminal.say("waybill cancel: \(Cell.printable(hint))")
        }
    }
}
