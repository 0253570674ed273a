internal import CWaybillMongoC

/// One client of a ``MongoPool``: a set of connections for one thread.
///
/// *Ownership:* keeps the pool alive; goes back with ``MongoPool/push(_:)``, at the latest when the last reference ends.
/// *Thread:* one at a time. *Blocking:* every operation, up to the limits of the pool.
package final class MongoClient {
    private let pool: MongoPool
    private var borrowed: OpaquePointer?

    init(stealing client: OpaquePointer, pool: MongoPool) {
        borrowed = client
        self.pool = pool
    }

    deinit { close() }

    /// Gives libmongoc's client back to the pool.
    func close() {
        guard let client = borrowed else { return }
        borrowed = nil
        pool.takeBack(client)
    }

    /// libmongoc's client, valid until ``close()``.
    var pointer: OpaquePointer {
        guard let borrowed else { preconditionFailure("the client went back to its pool") }
        return borrowed
    }

    /// Asks the deployment for a sign of life.
    ///
    /// - Throws: ``MongoError/Code/unreachable``, ``MongoError/Code/accessRefused``.
    package func ping(database: String = "admin") throws(MongoError) {
        _ = try command(database: database, BSONDocument { $0.append("ping", int: 1) })
    }

    /// Runs a command and returns the server's answer.
    package func command(database: String, _ command: BSONDocument) throws(MongoError) -> BSONDocument {
        let name = command.fields.first?.key ?? "command"
        return try Reply.read(operation: "\(name) on \(database)") { reply, failure in
            command.withDocument {
                mongoc_client_command_simple(pointer, database, $0, nil, reply, failure)
            }
        }
    }
}

/// Reads what a libmongoc call leaves behind: a reply that must be freed in any case, and an error.
enum Reply {
    typealias Call = (BSONPointer, UnsafeMutablePointer<bson_error_t>) -> Bool

    /// - Throws: the error that the call set when it returned `false`.
    static func read(operation: @autoclosure () -> String, _ call: Call) throws(MongoError) -> BSONDocument {
        let (reply, failure) = readAnyway(call)
        if let failure { throw MongoError(native: failure, operation: operation(), reply: reply) }
        return reply
    }

    /// The reply together with the error: a bulk write has both.
    static func readAnyway(_ call: Call) -> (reply: BSONDocument, failure: bson_error_t?) {
        BSONStorage.withTemporary(bson_t.self) { reply in
            // libmongoc overwrites the reply without freeing it; an empty document owns nothing, so nothing leaks.
            bson_init(reply)
            defer { bson_destroy(reply) }
            var failure = bson_error_t()
            let succeeded = call(reply, &failure)
            return (BSONDocument(copying: reply), succeeded ? nil : failure)
        }
    }
}
