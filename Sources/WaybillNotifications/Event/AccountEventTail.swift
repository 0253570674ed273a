package import WaybillMongo

/// Events as they are written, of one account or of all.
///
/// Needs a replica set, and the right `changeStream` beside `find`.
///
/// *Thread:* its client's, which serves nobody else meanwhile. *Blocking:* ``next()``.
package final class AccountEventTail {
    /// An event, and where a stream goes on behind it.
    package struct Entry: Sendable {
        package let event: AccountEvent
        package let position: Position
    }

    /// A place in the order in which all events were written.
    package struct Position: Hashable, Sendable {
        /// Hexadecimal, as the store has it.
        package let text: String

        private static let lengths = 20...4096
        private static let digits = 2..<18

        /// - Returns: `nil` for what cannot be one.
        package init?(_ text: String) {
            guard Self.lengths.contains(text.utf8.count),
                text.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit })
            else { return nil }
            self.text = text
        }

        fileprivate init?(token: BSONDocument?) {
            guard let text = token?["_data"]?.string else { return nil }
            self.init(text)
        }

        fileprivate var token: BSONDocument { BSONDocument { $0.append("_data", string: text) } }

        /// The place of the write in the store's history, as `MongoClient.operationTime()` counts; `nil` where the text has none.
        package var operationTime: UInt64? {
            let digits = text.dropFirst(Self.digits.lowerBound).prefix(Self.digits.count)
            return digits.count == Self.digits.count ? UInt64(digits, radix: 16) : nil
        }
    }

    private let collection: MongoCollection
    private let pipeline: [BSONDocument]
    private let patience: Duration
    private var stream: MongoChangeStream?
    private var token: BSONDocument?

    /// - Parameters:
    ///   - client: the store's.
    ///   - database: where events are.
    ///   - account: of whom; `nil`: of all.
    ///   - position: behind which it begins; `nil`: now.
    ///   - patience: how long one wait takes.
    package init(
        client: MongoClient,
        database: String,
        account: String? = nil,
        after position: Position? = nil,
        patience: Duration = .milliseconds(250)
    ) {
        collection = client.collection(database: database, name: AccountEventLayout.collection)
        self.patience = patience
        token = position?.token
        pipeline = [
            BSONDocument { stage in
                stage.append("$match") { match in
                    match.append("operationType", string: "insert")
                    if let account { match.append("fullDocument.account", string: account) }
                }
            },
            BSONDocument { stage in stage.append("$project") { $0.append("fullDocument", int: 1) } },
        ]
    }

    /// Where it is: behind everything that ``next()`` has given; `nil` before the store has answered.
    package var position: Position? { Position(token: token) }

    /// The next event; `nil` where none came within the wait.
    ///
    /// - Throws: what the store says, with `isHistoryLost` where it does not remember so far back; the next call goes on from where
    ///   this tail is, or from now where that is forgotten.
    package func next() throws(MongoError) -> Entry? {
        let options = MongoWatchOptions(resumeAfter: token, wait: patience)
        let stream = stream ?? collection.watch(pipeline, options: options)
        self.stream = stream
        do throws(MongoError) {
            let change = try stream.next()
            token = stream.resumeToken ?? token
            guard let event = change?["fullDocument"]?.document.flatMap(AccountEvent.init), let position else {
                return nil
            }
            return Entry(event: event, position: position)
        } catch {
            self.stream = nil
            if error.isHistoryLost { token = nil }
            throw error
        }
    }
}
