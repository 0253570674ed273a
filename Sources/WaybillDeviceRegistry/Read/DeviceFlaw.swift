import WaybillMongo

/// Why a device's document says nothing for certain: MongoDB keeps what is not UTF-8, and two fields with one name.
///
/// Of the two its queries may have read another one than we do.
package struct DeviceFlaw: Hashable, Sendable, CustomStringConvertible {
    /// The document's `_id` and the field, and nothing else that it holds.
    package let description: String

    /// `nil` for a document that is sound.
    init?(_ document: BSONDocument) {
        guard !document.isPlain else { return nil }
        let reason: String
        if let field = document.brokenText {
            reason = "\(Self.shown(field, "a field", of: document)) is not UTF-8"
        } else if let field = document.repeatedName {
            reason = "\(Self.shown(field, "a field", of: document)) appears twice"
        } else {
            return nil
        }
        let id = document.identifier("_id")?.text.map { Self.shown($0, "an _id", of: document) }
        description = "\(id ?? "an _id of another type"): \(reason)"
    }

    private static let mostCharacters = 60

    /// A text of the document, or, where it holds the token, another one in its place.
    private static func shown(_ text: String, _ other: String, of document: BSONDocument) -> String {
        let fields = ["\(DeviceRegistry.Field.token)", "\(DeviceRegistry.EarlierField.deviceToken)"]
        let holdsToken = document.fields.contains { field in
            guard fields.contains(field.key), let token = field.value.string else { return false }
            return text.lowercased().contains(token.lowercased())
        }
        return holdsToken ? "\(other) that holds its token" : String(text.prefix(mostCharacters))
    }
}
