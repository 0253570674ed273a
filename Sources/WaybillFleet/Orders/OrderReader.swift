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

    /// Every order; one that cannot be read is left out.
    package func orders() throws(MongoError) -> StandingOrders {
        let cursor = collection.find(
            .empty,
            options: MongoFindOptions(maximumTime: .seconds(5), readsMajority: true)
        )
        var orders = StandingOrders()
        while let document = try cursor.next() {
            guard let source = OrderSource(document) else { continue }
            switch document["\(Fleet.OrderField.kind)"]?.string {
            case OrderKind.lane:
                guard let lane = document["\(Fleet.OrderField.lane)"]?.string,
                    let state = document["\(Fleet.OrderField.state)"]?.string.flatMap(LaneOrder.State.init)
                else { continue }
                orders.add(LaneOrder(lane: lane, state: state, source: source))
            case OrderKind.cancel:
                if let cancellation = Cancellation(document, source) { orders.add(cancellation) }
            case OrderKind.lifted:
                guard let cancellation = Cancellation(document, source), let by = OrderSource(lifting: document)
                else { continue }
                orders.add(LiftedCancellation(cancellation, by: by))
            default: continue
            }
        }
        return orders
    }
}

extension Cancellation {
    fileprivate init?(_ document: BSONDocument, _ source: OrderSource) {
        guard let batch = document["\(Fleet.OrderField.batch)"]?.string else { return nil }
        let client = document["\(Fleet.OrderField.client)"]?.string
        self.init(batch: BatchName(batch), client: client, source: source)
    }
}

extension OrderSource {
    /// Who has taken the order back.
    fileprivate init?(lifting document: BSONDocument) {
        guard let name = document["\(Fleet.OrderField.liftedBy)"]?.string,
            let date = document["\(Fleet.OrderField.liftedAt)"]?.date
        else { return nil }
        self.init(name: name, date: date, note: document["\(Fleet.OrderField.liftedNote)"]?.string)
    }

    fileprivate init?(_ document: BSONDocument) {
        guard let name = document["\(Fleet.OrderField.source)"]?.string,
            let date = document["\(Fleet.OrderField.given)"]?.date
        else { return nil }
        self.init(name: name, date: date, note: document["\(Fleet.OrderField.note)"]?.string)
    }
}
