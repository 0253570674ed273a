import WaybillMongo

/// Changes services' documents: each time later than before, whatever the clocks of two servers say.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
struct ServiceUpdates {
    private typealias Layout = ServiceLayout

    /// How often others may be faster with the same service.
    static let turns = 8

    private let services: MongoCollection
    let reader: ServiceReader

    init(client: MongoClient, database: String) {
        services = client.collection(database: database, name: Layout.services)
        reader = ServiceReader(client: client, database: database)
    }

    /// Changes a service and its time, if whoever asks may.
    ///
    /// - Parameters:
    ///   - id: the service's.
    ///   - account: the id of who asks.
    ///   - action: what is wanted.
    ///   - fields: what it loses.
    ///   - seen: what its time must be still; `nil`: whatever.
    ///   - now: milliseconds since 1970.
    ///   - change: writes what it gets; hears of it as it was before, several times where others are faster.
    /// - Returns: the service as it is then.
    /// - Throws: ``ServiceProblem``.
    func update(
        _ id: String,
        by account: String,
        _ action: ServiceAction,
        removing fields: [StaticString] = [],
        seen: Int64? = nil,
        now: Int64,
        _ change: (BSONWriter, ServiceDetails) -> Void
    ) throws(ServiceProblem) -> ServiceDetails {
        for _ in 0..<Self.turns {
            let before = try reader.authorise(account, action, id).service
            if let seen, seen != before.updatedAt { throw .changed }
            let update = BSONDocument { writer in
                writer.append("$set") { set in
                    set.append(Layout.ServiceField.updatedAt, date: max(now, before.updatedAt + 1))
                    change(set, before)
                }
                if !fields.isEmpty {
                    writer.append("$unset") { unset in for field in fields { unset.append(field, int: 1) } }
                }
            }
            let changed = try ServiceProblem.asking { () throws(MongoError) -> BSONDocument? in
                try services.findOneAndUpdate(before.unchanged, update: update)
            }
            if let changed {
                return ServiceDetails(changed) ?? before
            }
        }
        throw .store(Self.restless)
    }

    static var restless: MongoError {
        MongoError(
            code: .commandFailed,
            operation: "update \(ServiceLayout.services)",
            reason: "others keep changing this service"
        )
    }
}

extension ServiceDetails {
    /// The condition on its document that nobody has changed it since it was read.
    var unchanged: BSONDocument {
        BSONDocument { writer in
            writer.append(ServiceLayout.ServiceField.id, string: id)
            writer.append(ServiceLayout.ServiceField.updatedAt, date: updatedAt)
        }
    }
}
