package import WaybillThreads

/// One phone with the app, and what FCM keeps for it while it cannot be reached; pure.
///
/// As Google's pages have it: of each collapse key the newest message is kept, for at most four keys; of the others at most
/// a hundred, and one more has all of them dropped, of which the app is told. A message lives as long as its `ttl`, and
/// with none (`0s`) it is delivered at once or never.
package struct FCMPhone: Hashable, Sendable {
    /// What the app gets to see.
    package enum Event: Hashable, Sendable {
        /// A message, by the last part of its name.
        case message(id: String)
        /// Messages were dropped: `onDeletedMessages`.
        case deleted
    }

    private struct Kept: Hashable {
        let id: String
        let key: String?
        let end: MonotonicTime
    }

    /// The most messages without a key that are kept.
    package static let mostWithoutKey = 100
    /// The most keys of which a message is kept; which of more stay is not documented, and here it is the newest.
    package static let mostKeys = 4
    /// Notification messages without a key of their own have this one in common.
    private static let notificationKey = "\u{0}notification"

    /// What the app has seen, in order.
    package private(set) var events: [Event] = []
    /// Whether the phone can be reached.
    package private(set) var isReachable = true
    private var kept: [Kept] = []
    private var hasDropped = false

    package init() {}

    /// FCM has a message for the phone.
    package mutating func take(_ message: FCMMessageCheck.Message, id: String, at now: MonotonicTime) {
        guard !isReachable else { return events.append(.message(id: id)) }
        guard message.lifetime > .zero else { return }
        kept.removeAll { $0.end <= now }
        let key = message.collapseKey ?? (message.isNotification ? Self.notificationKey : nil)
        if let key {
            kept.removeAll { $0.key == key }
            let others = kept.compactMap(\.key)
            if others.count >= Self.mostKeys { kept.removeAll { $0.key == others[0] } }
        } else if kept.count(where: { $0.key == nil }) >= Self.mostWithoutKey {
            kept = []
            hasDropped = true
            return
        }
        kept.append(Kept(id: id, key: key, end: now.advanced(by: message.lifetime)))
    }

    /// The phone is switched off, or out of reach.
    package mutating func leave() {
        isReachable = false
    }

    /// The phone is back: it gets what is kept.
    package mutating func comeBack(at now: MonotonicTime) {
        isReachable = true
        if hasDropped { events.append(.deleted) }
        hasDropped = false
        events += kept.filter { $0.end > now }.map { .message(id: $0.id) }
        kept = []
    }
}
