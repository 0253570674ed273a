import WaybillCore
package import WaybillMongo

/// Reads the orders that hold.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool.
package struct OrderReader {
    private let collection: MongoCollection

    package init(client: MongoClient, database: String) {
        collection = client.collection(database: database, name: Fleet.orders)
    }

    /// Every order; one that cannot be read exactly holds for nothing, and is named.
    package func orders() throws(MongoError) -> StandingOrders {
        let cursor = collection.find(
            .empty,
            options: MongoFindOptions(maximumTime: .seconds(5), readsMajority: true)
        )
        var orders = StandingOrders()
        while let document = try cursor.next() {
            do throws(OrderDocument.Flaw) {
                switch try OrderDocument(document).order {
                case .lane(let order): orders.add(order)
                case .cancellation(let cancellation): orders.add(cancellation)
                case .lifted(let lifted): orders.add(lifted)
                }
            } catch {
                let name = document["\(Fleet.OrderField.id)"]?.string ?? "an order whose _id is no text"
                orders.add(UnreadableOrder(name: String(name.prefix(200)), reason: error.description))
            }
        }
        return orders
    }
}
