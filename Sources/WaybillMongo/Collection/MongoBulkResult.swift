/// What is known about the writes of a ``MongoBulk``.
package struct MongoBulkResult: Sendable {
    /// One write that the server refused.
    package struct WriteError: Hashable, Sendable {
        /// The number of the write, in the order they were added.
        package let index: Int
        /// The server's error code.
        package let code: Int
        /// The server's words, without the document's values.
        package let message: String

        /// Whether a unique index has the key already.
        package var isDuplicateKey: Bool { code == Int(ServerCode.duplicateKey) }
        /// Whether that index is the one on `_id`: the document is there already.
        package var isDuplicateID: Bool { isDuplicateKey && message.hasSuffix(" index: _id_") }
        /// Whether the document itself is refused, by a validator, another unique index, or its form: however often it is
        /// written, while the writes beside it succeed.
        package var isAboutTheDocument: Bool {
            isDuplicateKey ? !isDuplicateID : error("write").isAboutTheQuery
        }

        /// The error for a caller that needs this write.
        ///
        /// - Parameter operation: the attempted operation.
        /// - Returns: the server's code and words; ``MongoError/Code/notDurable`` for a key that is there already, so that
        ///   the caller reads again.
        package func error(_ operation: String) -> MongoError {
            guard !isDuplicateKey else {
                return MongoError(code: .notDurable, operation: operation, reason: message)
            }
            let code = UInt32(clamping: code)
            return MongoError(
                code: ServerCode.meaning(of: code),
                operation: operation,
                reason: message,
                nativeCode: code
            )
        }
    }

    package private(set) var inserted = 0
    package private(set) var matched = 0
    package private(set) var upserted = 0
    /// Each write that the server refused.
    package private(set) var writeErrors: [WriteError] = []
    /// Writes that were made but not acknowledged as durable.
    package private(set) var writeConcernErrors: [String] = []
    /// What broke the execution itself, such as a lost connection: nothing is known about the writes that
    /// neither a count nor a write error stands for.
    package private(set) var failure: MongoError?

    init() {}

    init(reply: BSONDocument, count: Int, failure: MongoError?, operation: String) {
        inserted = Self.number(reply["nInserted"])
        matched = Self.number(reply["nMatched"])
        upserted = Self.number(reply["nUpserted"])
        writeErrors = (reply["writeErrors"]?.elements ?? []).compactMap(\.document).map { error in
            WriteError(
                index: Self.number(error["index"]),
                code: Self.number(error["code"]),
                message: ServerText.withoutValues(error["errmsg"]?.string ?? "")
            )
        }
        writeConcernErrors = (reply["writeConcernErrors"]?.elements ?? []).compactMap(\.document).map { error in
            error["errmsg"]?.string ?? "not acknowledged"
        }
        // libmongoc reports the first write error as the error of the whole, and a lost connection the same way.
        let isExplained = !writeErrors.isEmpty || !writeConcernErrors.isEmpty
        if let failure, !isExplained || failure.code == .unreachable { self.failure = failure }
    }

    /// Requires that every write was made and is durable.
    ///
    /// - Parameter operation: what was tried, for the error.
    /// - Throws: what broke the execution, else ``MongoError/Code/notDurable`` for a write that a majority has not
    ///   confirmed, else the first refusal (``WriteError/error(_:)``).
    package func requireDurable(_ operation: String) throws(MongoError) {
        try requireConfirmed(operation)
        if let refused = writeErrors.first { throw refused.error(operation) }
    }

    /// Requires that every write that the server took is durable; refused writes are the caller's.
    ///
    /// - Parameter operation: the attempted operation, for the error.
    /// - Throws: what broke the execution, else ``MongoError/Code/notDurable``.
    package func requireConfirmed(_ operation: String) throws(MongoError) {
        if let failure { throw failure }
        guard let reason = writeConcernErrors.first else { return }
        throw MongoError(code: .notDurable, operation: operation, reason: reason)
    }

    /// Requires that every write that the server took is durable, and that each refusal concerns its own write alone.
    ///
    /// - Parameter operation: the attempted operation, for the errors.
    /// - Returns: the refusals, by the positions of their writes.
    /// - Throws: as ``requireDurable(_:)``, of what concerns every write.
    package func refusals(_ operation: String) throws(MongoError) -> [(index: Int, refusal: MongoError)] {
        try requireConfirmed(operation)
        var refusals: [(index: Int, refusal: MongoError)] = []
        for one in writeErrors {
            let refusal = one.error(operation)
            guard refusal.isAboutTheQuery else { throw refusal }
            refusals.append((one.index, refusal))
        }
        return refusals
    }

    /// Requires that every document is durable, or was there before under its `_id`.
    ///
    /// - Parameter operation: what was tried, for the error.
    /// - Throws: as ``requireDurable(_:)``, of what was not there.
    package func requireDurableOrThere(_ operation: String) throws(MongoError) {
        try requireConfirmed(operation)
        if let refused = writeErrors.first(where: { !$0.isDuplicateID }) { throw refused.error(operation) }
    }

    private static func number(_ value: BSONValue?) -> Int {
        value?.int.map { Int($0) } ?? 0
    }
}
