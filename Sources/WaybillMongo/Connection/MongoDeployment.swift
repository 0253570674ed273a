/// What kind of installation a client talks to.
package enum MongoDeployment: Hashable, Sendable {
    /// Through a router.
    case sharded
    /// One server and no other.
    case single
    /// - Parameters:
    ///   - name: as its members call it.
    ///   - members: how many bear data.
    ///   - hasPrimary: whether the one that answered is it.
    case replicaSet(name: String, members: Int, hasPrimary: Bool)
}

extension MongoClient {
    /// Asks the server what it is part of.
    ///
    /// - Note: Blocking.
    package func deployment() throws(MongoError) -> MongoDeployment {
        let hello = try command(database: "admin", BSONDocument { $0.append("hello", int: 1) })
        if hello["msg"]?.string == "isdbgrid" { return .sharded }
        guard let name = hello["setName"]?.string else { return .single }
        return .replicaSet(
            name: name,
            members: hello["hosts"]?.elements?.count ?? 1,
            hasPrimary: hello["isWritablePrimary"]?.bool == true
        )
    }

    /// The server's clock, in milliseconds since 1970; `nil` from one that does not tell.
    package func clock() throws(MongoError) -> Int64? {
        try command(database: "admin", BSONDocument { $0.append("hello", int: 1) })["localTime"]?.date
    }

    /// How far the store's history has come: everything that was written before this call is at this place or in front of it.
    ///
    /// - Returns: a BSON timestamp, by which the store orders all writes; `nil` from a server without a history.
    package func operationTime() throws(MongoError) -> UInt64? {
        try command(database: "admin", BSONDocument { $0.append("hello", int: 1) }).identifier("operationTime")?
            .timestamp
    }

    /// How far the majority of a replica set is behind its primary, as the primary says (`lastWrite` of `hello`).
    ///
    /// - Returns: whole seconds; `nil` where there is no replica set, or nobody to say.
    package func majorityLag() throws(MongoError) -> Duration? {
        let hello = try command(database: "admin", BSONDocument { $0.append("hello", int: 1) })
        guard let writes = hello["lastWrite"]?.document, let last = writes["lastWriteDate"]?.date,
            let durable = writes["majorityWriteDate"]?.date
        else { return nil }
        return .seconds(max(0, last - durable) / 1000)
    }
}
