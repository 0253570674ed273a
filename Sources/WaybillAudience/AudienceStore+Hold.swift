package import WaybillEncoding
package import WaybillMongo

extension AudienceStore {
    private typealias Field = Audiences.Field

    /// Hands over nothing more of an audience, or goes on with it.
    ///
    /// A page that is being published goes out whole; what is with the broker stays there. It need not have begun.
    ///
    /// - Parameters:
    ///   - key: of its record.
    ///   - isHeld: whether it is to rest.
    /// - Returns: `false`: there is none, or it has ended.
    /// - Throws: what the store says.
    package func hold(_ key: String, _ isHeld: Bool) throws(MongoError) -> Bool {
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: key)
            writer.append(
                Field.state,
                document: { $0.append(anyOf: AudienceRecord.State.allCases.filter { !$0.isEnded }.map(\.rawValue)) }
            )
        }
        let update = BSONDocument { writer in
            writer.append(isHeld ? "$set" : "$unset") { $0.append(Field.held, bool: true) }
        }
        return try collection.findOneAndUpdate(filter, update: update, maximumTime: Self.maximumTime) != nil
    }

    /// Which of some audiences are held, by the keys of their records.
    package func held(among keys: [String]) throws(MongoError) -> Set<ExactName> {
        guard !keys.isEmpty else { return [] }
        let filter = BSONDocument { writer in
            writer.append(Field.id) { $0.append(anyOf: keys) }
            writer.append(Field.held, bool: true)
        }
        let options = MongoFindOptions(
            projection: BSONDocument { $0.append(Field.id, int: 1) },
            maximumTime: Self.maximumTime
        )
        return Set(
            exactly: try collection.find(filter, options: options).all().compactMap { $0["\(Field.id)"]?.string }
        )
    }
}
