import WaybillCore
import WaybillEncoding

/// Where the next page of a search begins.
///
/// A position is a place in an index, not a number of records: what is written or removed meanwhile moves nothing. It
/// belongs to one search, all conditions but the dates, and to one scope. Its text form is for programs to hand back; it
/// holds no token and no client's name, but it is not signed.
package struct DeliveryPosition: Hashable, Sendable {
    /// Where in which index.
    enum Place: Hashable, Sendable {
        /// At this date, in milliseconds since 1970, or before.
        case date(Int64)
        /// Within the records of this date, below an id, `nil` at its highest; or before the date.
        case tie(Int64, below: NotificationID?)
        /// In the batch of this name, below an id; `nil` at its newest.
        case batch(String, below: NotificationID?)
        /// Among the ids with a time in front: below the first id, where those begin that have none above the second.
        case timed(below: NotificationID, boundary: NotificationID)
        /// Among the ids that are no times, or too late ones to match: above the boundary, below an id.
        case untimed(below: NotificationID?, boundary: NotificationID)
        /// Among the ids that are older than anything that is likely to match.
        case earlier(below: NotificationID)
    }

    let place: Place
    /// Of the search and the scope that it belongs to.
    let fingerprint: UInt64

    /// Where a search that has looked at messages, newest first, has come to; in milliseconds since 1970, `nil` for a
    /// search of another order.
    package var messageTime: Int64? {
        guard case .timed(let below, _) = place else { return nil }
        return Int64(below.high >> 16)
    }
}

extension DeliveryPosition {
    /// Whether only messages are left that are older than their outcomes are likely to be, and ids without a time among
    /// them: a search with ``DeliveryQuery/since`` comes to them last, and may as well end there.
    package var isBeyondLikely: Bool { if case .earlier = place { true } else { false } }

    /// Whether a search follows the index that the position is in, and may come to it.
    func isOnPath(of query: DeliveryQuery) -> Bool {
        switch (DeliveryPath(query), place) {
        case (.token, .date), (.token, .tie), (.failures, .date), (.failures, .tie), (.messages, .timed),
            (.messages, .untimed),
            (.messages, .earlier):
            true
        case (.batch, .batch(let name, _)): query.batch?.includes(name) ?? false
        default: false
        }
    }

    /// The text form: URL-safe, without spaces.
    package var text: String {
        var parts = [String(fingerprint, radix: 16)]
        switch place {
        case .date(let date): parts += ["d", "\(date)", ""]
        case .tie(let date, let below): parts += ["s", "\(date)", below?.description ?? ""]
        case .batch(let name, let below):
            parts += ["b", Base64URL.encode(Array(name.utf8)), below?.description ?? ""]
        case .timed(let below, let boundary): parts += ["t", below.description, boundary.description]
        case .untimed(let below, let boundary): parts += ["u", below?.description ?? "", boundary.description]
        case .earlier(let below): parts += ["e", below.description, ""]
        }
        return Base64URL.encode(Array(parts.joined(separator: "/").utf8))
    }

    /// Reads the text form; `nil` for any other text.
    init?(_ text: String) {
        guard text.utf8.count <= Self.longestText, let bytes = Base64URL.decode(text),
            let plain = String(validating: bytes, as: UTF8.self)
        else { return nil }
        let parts = plain.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4, let fingerprint = UInt64(parts[0], radix: 16),
            let place = Self.place(String(parts[1]), String(parts[2]), String(parts[3]))
        else { return nil }
        self.init(place: place, fingerprint: fingerprint)
    }

    /// A batch's name has at most a few hundred bytes.
    private static let longestText = 4096

    private static func place(_ kind: String, _ first: String, _ second: String) -> Place? {
        switch kind {
        case "d":
            guard let date = Int64(first), second.isEmpty else { return nil }
            return .date(date)
        case "s":
            guard let date = Int64(first), let below = optionalID(second) else { return nil }
            return .tie(date, below: below)
        case "b":
            guard let bytes = Base64URL.decode(first), let name = String(validating: bytes, as: UTF8.self),
                let below = optionalID(second)
            else { return nil }
            return .batch(name, below: below)
        case "t":
            guard let below = NotificationID(first), let boundary = NotificationID(second) else { return nil }
            return .timed(below: below, boundary: boundary)
        case "u":
            guard let below = optionalID(first), let boundary = NotificationID(second) else { return nil }
            return .untimed(below: below, boundary: boundary)
        case "e": return NotificationID(first).map { .earlier(below: $0) }
        default: return nil
        }
    }

    /// `nil` for a text that is neither empty nor an id.
    private static func optionalID(_ text: String) -> NotificationID?? {
        if text.isEmpty { return .some(nil) }
        guard let id = NotificationID(text) else { return nil }
        return .some(id)
    }
}
