import WaybillMongo

/// Why a device's document says nothing for certain: MongoDB keeps what is not UTF-8, two fields with one name, and any type.
///
/// Its queries may have read another one of the two than we do, and find `true` in an array that holds `false`, too.
package struct DeviceFlaw: Hashable, Sendable, CustomStringConvertible {
    /// The document's `_id` and the field, and nothing else that it holds.
    package let description: String

    /// `nil` for a document that is sound.
    init?(_ document: BSONDocument) {
        let wrong = Self.wrongType(in: document)
        guard wrong != nil || !document.isPlain else { return nil }
        let reason: String
        if let wrong {
            reason = wrong
        } else if let field = document.brokenText {
            reason = "\(Self.shown(field, "a field", of: document)) is not UTF-8"
        } else if let field = document.repeatedName {
            reason = "\(Self.shown(field, "a field", of: document)) appears twice"
        } else {
            return nil
        }
        let id = document.identifier("_id")?.text.map { Self.shown($0, "an _id", of: document) }
        description = "\(id ?? "an _id of another type"): \(reason)"
    }

    /// What decides whether, and as what, it is pushed to; both are there as they should be, or not at all.
    private static func wrongType(in document: BSONDocument) -> String? {
        if let enabled = document["\(DeviceRegistry.Field.enabled)"], enabled.bool == nil {
            return "\(DeviceRegistry.Field.enabled) is no boolean"
        }
        if let kind = document["\(DeviceRegistry.Field.kind)"],
            kind.string.flatMap(DeviceTokenKind.init(rawValue:)) == nil
        {
            return "\(DeviceRegistry.Field.kind) is none that there is"
        }
        return nil
    }

    /// Longer texts may be a token in some form.
    private static let mostCharacters = 24

    /// A text of the document, or, where it holds the token, another one in its place.
    private static func shown(_ text: String, _ other: String, of document: BSONDocument) -> String {
        let fields = ["\(DeviceRegistry.Field.token)", "\(DeviceRegistry.EarlierField.deviceToken)"]
        let holdsToken = document.fields.contains { field in
            guard fields.contains(field.key), let token = field.value.string else { return false }
            return text.lowercased().contains(token.lowercased())
        }
        if holdsToken { return "\(other) that holds its token" }
        return text.count > mostCharacters ? "\(other) of \(text.count) characters" : text
    }
}
