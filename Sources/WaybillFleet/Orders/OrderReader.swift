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

    /// Every order that has not expired; one that cannot be read exactly holds for nothing, and is named.
    package func orders() throws(MongoError) -> StandingOrders {
        let cursor = collection.find(
            Self.unexpired,
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

    /// By the store's time: its TTL index erases up to a minute later, and not at all where there is none.
    private static let unexpired = BSONDocument { filter in
        filter.append("$expr") { expression in
            expression.append(
                "$or",
                array: { ways in
                    ways.append { way in
                        way.append(
                            "$ne",
                            array: { sides in
                                sides.append { $0.append("$type", string: "$\(Fleet.OrderField.expiresAt)") }
                                sides.append(string: "date")
                            }
                        )
                    }
                    ways.append { way in
                        way.append(
                            "$gt",
                            array: { sides in
                                sides.append(string: "$\(Fleet.OrderField.expiresAt)")
                                sides.append(string: "$$NOW")
                            }
                        )
                    }
                }
            )
        }
    }
}
