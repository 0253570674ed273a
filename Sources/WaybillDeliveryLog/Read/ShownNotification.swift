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
    private static let clockSkew: Int64 = 86_400_000

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
        since = min(messageTime ?? firstSeen, firstPush ?? firstSeen, firstSeen) - Self.clockSkew
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
    private static let tokensPerQuery = 500

    /// Looks for newer notifications that were accepted.
    ///
    /// A push that is under way has no record, and is not seen.
    ///
    /// - Parameter shown: notifications that are to be pushed again.
    /// - Returns: for each of them the id of a newer one; `nil` where there is none.
    /// - Throws: what the store says.
    package func newerAccepted(than shown: [ShownNotification]) throws(MongoError) -> [NotificationID?] {
        var newer: [NotificationID?] = Array(repeating: nil, count: shown.count)
        for start in stride(from: 0, to: shown.count, by: Self.tokensPerQuery) {
            let part = start..<min(start + Self.tokensPerQuery, shown.count)
            let accepted = try accepted(like: shown[part])
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

    private func accepted(
        like shown: ArraySlice<ShownNotification>
    ) throws(MongoError) -> [PlaceOnScreen: [LoggedDelivery]] {
        let since = shown.map(\.since).min() ?? 0
        let filter = scope.filter { filter in
            filter.append(Field.deviceToken) { condition in
                condition.append(
                    "$in",
                    array: { array in for one in shown { array.append(string: tokenForm.stored(one.deviceToken)) } }
                )
            }
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
        let options = MongoFindOptions(
            projection: Self.withoutMessage,
            maximumTime: maximumTime,
            readsMajority: true
        )
        var found: [PlaceOnScreen: [LoggedDelivery]] = [:]
        let cursor = collection.find(filter, options: options)
        while let document = try cursor.next() {
            let delivery = LoggedDelivery(document: document)
            found[PlaceOnScreen(delivery), default: []].append(delivery)
        }
        return found
    }
}

/// What two notifications have in common of which the newer replaces the older one.
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
