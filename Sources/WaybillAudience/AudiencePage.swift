package import WaybillCore
import WaybillMongo

/// Some devices of an audience as the dispatch messages that go to them.
package struct AudiencePage: Hashable, Sendable {
    package struct Message: Hashable, Sendable {
        /// Its notifications.
        package var count: Int
        /// To the dispatch queue; else to the bulk queue.
        package var isUrgent: Bool
        package var body: [UInt8]

        package init(count: Int, isUrgent: Bool, body: [UInt8]) {
            self.count = count
            self.isUrgent = isUrgent
            self.body = body
        }

        /// What its ids derive from.
        ///
        /// - Parameters:
        ///   - audience: the name of its batch.
        ///   - time: the page's.
        /// - Returns: the same for the same page.
        package func identity(audience: String, time: Int64) -> MessageIdentity {
            MessageIdentity(
                milliseconds: UInt64(time * 1000),
                digest: MessageDigest(batchID: audience, body: body)
            )
        }
    }

    /// The time of its messages, in seconds since 1970.
    package var time: Int64
    package var messages: [Message]
    /// Whether no device is left behind it.
    package var isLast: Bool

    package init(time: Int64, messages: [Message], isLast: Bool) {
        self.time = time
        self.messages = messages
        self.isLast = isLast
    }

    /// Notifications in all its messages.
    package var count: Int { messages.reduce(0) { $0 + $1.count } }

    /// Bytes of all its messages.
    package var byteCount: Int { messages.reduce(0) { $0 + $1.body.count } }
}

extension AudiencePage {
    private typealias Field = Audiences.PageField

    init?(_ document: BSONDocument) {
        guard let time = document["\(Field.time)"]?.int, let messages = document["\(Field.messages)"]?.elements else {
            return nil
        }
        self.time = time
        isLast = document["\(Field.isLast)"]?.bool ?? false
        self.messages = messages.compactMap(\.document).compactMap { message in
            guard let body = message["\(Field.body)"]?.string, let count = message["\(Field.count)"]?.amount else {
                return nil
            }
            return Message(
                count: count,
                isUrgent: message["\(Field.isUrgent)"]?.bool ?? false,
                body: Array(body.utf8)
            )
        }
        guard self.messages.count == messages.count else { return nil }
    }

    func append(to writer: BSONWriter) {
        writer.append(Field.time, int64: time)
        writer.append(Field.isLast, bool: isLast)
        writer.append(
            Field.messages,
            array: { array in
                for message in messages {
                    array.append { element in
                        element.append(Field.count, int: message.count)
                        element.append(Field.isUrgent, bool: message.isUrgent)
                        element.append(Field.body, utf8: message.body[...])
                    }
                }
            }
        )
    }
}
