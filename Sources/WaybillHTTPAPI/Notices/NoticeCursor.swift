import WaybillEncoding
import WaybillNotifications
import WaybillTLS

extension Seal {
    /// Where a page of notifications ends, as a cursor that nobody can read or make: URL-safe.
    ///
    /// - Parameters:
    ///   - place: where.
    ///   - search: whose search, and which: another one cannot go on with it.
    /// - Returns: the cursor.
    func cursor(_ place: NotificationPlace, of search: String) -> String {
        Base64URL.encode(close(Array("notices \(place.text)\n\(search)".utf8)))
    }

    /// The place in a cursor; `nil` for any other text, and for one of another search.
    func place(_ cursor: String, of search: String) -> NotificationPlace? {
        guard let bytes = Base64URL.decode(cursor).flatMap(open), let text = String(validating: bytes, as: UTF8.self),
            text.hasPrefix("notices "), let end = text.firstIndex(of: "\n"),
            text[text.index(after: end)...].utf8.elementsEqual(search.utf8)
        else { return nil }
        return NotificationPlace(String(text[..<end].dropFirst("notices ".count)))
    }

    /// A place among events, as the id of one.
    func eventID(_ position: AccountEventTail.Position) -> String {
        Base64URL.encode(close(Array("event \(position.text)".utf8)))
    }

    /// The place in an event's id; `nil` for any other text.
    func position(ofEvent id: String) -> AccountEventTail.Position? {
        guard let bytes = Base64URL.decode(id).flatMap(open), let text = String(validating: bytes, as: UTF8.self),
            text.hasPrefix("event ")
        else { return nil }
        return AccountEventTail.Position(String(text.dropFirst("event ".count)))
    }
}
