package import WaybillCore
package import WaybillMongo

/// A notification that replaces, on the screen, every other one with the same token, topic and collapse id.
///
/// Newer is the one with the greater message time where both ids tell it, and in one message the one at the higher position. On a
/// tie, for AMQP's times are whole seconds, or without a time the first push decides.
package struct ShownNotification: Sendable {
    let id: NotificationID
    let deviceToken: ArraySlice<UInt8>
    let topic: String?
    let collapseID: ArraySlice<UInt8>
    /// Milliseconds since 1970; `nil` where the id does not tell it.
    let messageTime: Int64?
    /// Milliseconds since 1970; `nil` for one that was never pushed.
    let firstPush: Int64?
    /// From when on a newer one may be recorded, in milliseconds since 1970.
    fileprivate let since: Int64

    /// How far the clocks of producers and dispatchers may differ, in milliseconds.
    private static let clockSkew: Int64 = 600_000
    /// How long before its message was first seen a newer one may be recorded, in milliseconds, whatever time the message claims.
    private static let longestDelay: Int64 = 86_400_000

    /// - Parameters:
    ///   - notification: as it is sent.
    ///   - messageTime: its message's own time, in milliseconds since 1970; `nil` where its id does not tell it.
    ///   - firstPush: when it was pushed first, in milliseconds since 1970; `nil` if it never was.
    ///   - firstSeen: when a dispatcher first saw its message, in milliseconds since 1970.
    ///
    /// `nil` for one whose producer gave no collapse id: a derived one is its own, or one of equal content.
    package init?(_ notification: Notification, messageTime: Int64?, firstPush: Int64?, firstSeen: Int64) {
        guard case .explicit(let collapseID) = notification.collapseKey else { return nil }
        id = notification.id
        deviceToken = notification.deviceToken
        topic = notification.topic
        self.collapseID = collapseID
        self.messageTime = messageTime
        self.firstPush = firstPush
        since = max(
            min(messageTime ?? firstSeen, firstPush ?? firstSeen, firstSeen) - Self.clockSkew,
            firstSeen - Self.longestDelay
        )
    }

    /// Whether another one of the same place on the screen is newer.
    ///
    /// - Parameters:
    ///   - id: the other one's.
    ///   - messageTime: as ``messageTime``.
    ///   - firstPush: as ``firstPush``.
    /// - Returns: false for the notification itself, and where nothing tells.
    func isOlder(than id: NotificationID, messageTime: Int64?, firstPush: Int64?) -> Bool {
        guard id != self.id else { return false }
        if MessageIdentity.mayDerive(id), MessageIdentity.isOneMessage(self.id, id) {
            return id.position > self.id.position
        }
        if let time = self.messageTime, let other = messageTime, time != other { return other > time }
        guard let push = self.firstPush, let other = firstPush else { return false }
        return other > push
    }
}

extension NotificationID {
    /// The position in its message, of a derived id.
    fileprivate var position: UInt64 { low & UInt64(MessageIdentity.positionCount - 1) }
}

extension DeliveryLogReader {
    /// Tokens that one query asks for at the most.
    private static let tokensPerQuery = 100

    /// Looks for newer notifications that were accepted.
    ///
    /// A push that is under way has no record, and is not seen.
    ///
    /// - Parameter shown: notifications that are to be pushed again.
    /// - Returns: the id of a newer notification for each of them, or `nil`.
    /// - Throws: what the store says.
    package func newerAccepted(than shown: [ShownNotification]) throws(MongoError) -> [NotificationID?] {
        var newer: [NotificationID?] = Array(repeating: nil, count: shown.count)
        // Together with others of its age, so that an old one does not make the walk of all others long.
        let order = shown.indices.sorted { shown[$0].since < shown[$1].since }
        for start in stride(from: 0, to: order.count, by: Self.tokensPerQuery) {
            let part = order[start..<min(start + Self.tokensPerQuery, order.count)]
            let accepted = try accepted(like: part.map { shown[$0] })
            for position in part {
                newer[position] =
                    accepted[PlaceOnScreen(shown[position], tokenForm)]?.first { other in
                        guard let id = other.id else { return false }
                        return shown[position].isOlder(
                            than: id,
                            messageTime: other.messageTime,
                            firstPush: other.firstPush
                        )
                    }?.id
            }
        }
        return newer
    }

    /// Reads two accepted notifications for each place on a screen: the one with the greatest id, and the one that was pushed last.
    ///
    /// If a newer one exists, one of the two is newer. Several messages of one second are the exception.
    private func accepted(like shown: [ShownNotification]) throws(MongoError) -> [PlaceOnScreen: [LoggedDelivery]] {
        let since = shown.map(\.since).min() ?? 0
        let match = scope.filter { filter in
            filter.append(Field.deviceToken) { condition in
                condition.append(
                    "$in",
                    array: { array in for one in shown { array.append(string: tokenForm.stored(one.deviceToken)) } }
                )
            }
            filter.append(daysFrom: since, through: nil)
            filter.append(Field.date) { $0.append("$gte", date: since) }
            filter.append(Field.outcome, string: Outcome.accepted.rawValue)
            filter.append(Field.collapseID) { condition in
                condition.append(
                    "$in",
                    array: { array in
                        for one in shown { array.append(string: String(decoding: one.collapseID, as: UTF8.self)) }
                    }
                )
            }
        }
        let stages = [BSONDocument { $0.append("$match", document: match) }, Self.newestOfEach]
        var found: [PlaceOnScreen: [LoggedDelivery]] = [:]
        let cursor = collection.aggregate(
            stages,
            maximumTime: maximumTime,
            readsMajority: true,
            index: DeliveryLogIndexes.byToken.name
        )
        while let group = try cursor.next() {
            let both = ["newest", "last"].compactMap { group[$0]?.document?["record"]?.document }
            for record in both {
                let delivery = LoggedDelivery(document: record)
                found[PlaceOnScreen(delivery), default: []].append(delivery)
            }
        }
        return found
    }

    /// The record with the greatest derived id, and that with the latest first push, of each token, topic and collapse id.
    private static let newestOfEach = BSONDocument { stage in
        let first = BSONDocument { first in
            // A record with one push has no history.
            first.append(
                "$ifNull",
                array: { array in
                    array.append(document: { $0.append("$first", string: "$\(Field.history)") })
                    array.append(string: "$$ROOT")
                }
            )
        }
        let push = BSONDocument { push in
            push.append("$let") { named in
                named.append("vars") { $0.append("first", document: first) }
                named.append("in") { sent in
                    sent.append(
                        "$subtract",
                        array: { array in
                            array.append(string: "$$first.\(Field.date)")
                            array.append(document: { latency in
                                latency.append(
                                    "$ifNull",
                                    array: { array in
                                        array.append(string: "$$first.\(Field.latency)")
                                        array.append(int64: 0)
                                    }
                                )
                            })
                        }
                    )
                }
            }
        }
        stage.append("$group") { group in
            group.append("_id") { id in
                for field in [Field.deviceToken, Field.topic, Field.collapseID] {
                    id.append(field, string: "$\(field)")
                }
            }
            group.append("newest") { newest in
                // An id that a producer gave tells no time.
                newest.append("$max") { pair in
                    pair.append("isDerived") {
                        $0.append(
                            "$lte",
                            array: { derived in
                                derived.append(string: "$\(Field.fingerprint)")
                                derived.appendNull()
                            }
                        )
                    }
                    pair.append("id", string: "$\(Field.id)")
                    pair.append("record", document: shownFields)
                }
            }
            group.append("last") { last in
                last.append("$max") { pair in
                    pair.append("push", document: push)
                    pair.append("record", document: shownFields)
                }
            }
        }
    }

    /// What ``ShownNotification/isOlder(than:messageTime:firstPush:)`` needs of a record.
    private static let shownFields = BSONDocument { fields in
        for field in [
            Field.id, Field.fingerprint, Field.deviceToken, Field.topic, Field.collapseID, Field.date, Field.latency,
            Field.attempts, Field.history,
        ] {
            fields.append(field, string: "$\(field)")
        }
    }
}

/// The key of notifications that replace each other on the screen.
private struct PlaceOnScreen: Hashable {
    private let deviceToken: [UInt8]
    private let topic: [UInt8]?
    private let collapseID: [UInt8]

    init(_ shown: ShownNotification, _ form: TokenForm) {
        deviceToken = Array(form.stored(shown.deviceToken).utf8)
        topic = shown.topic.map { Array($0.utf8) }
        collapseID = Array(shown.collapseID)
    }

    init(_ delivery: LoggedDelivery) {
        deviceToken = Array((delivery.deviceToken ?? "").utf8)
        topic = delivery.topic.map { Array($0.utf8) }
        collapseID = Array((delivery.collapseID ?? "").utf8)
    }
}
