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
            reason = "\(field.prefix(Self.mostCharacters)) is not UTF-8"
        } else if let field = document.repeatedName {
            reason = "\(field.prefix(Self.mostCharacters)) appears twice"
        } else {
            return nil
        }
        description = "\(Self.name(of: document)): \(reason)"
    }

    private static let mostCharacters = 60

    /// An `_id` that holds the token, or of which that is not known, is not repeated.
    private static func name(of document: BSONDocument) -> String {
        guard let id = document.identifier("_id"), let text = id.text else { return "an _id of another type" }
        guard id.kind == nil else { return text }
        let fields = ["\(DeviceRegistry.Field.token)", "\(DeviceRegistry.EarlierField.deviceToken)"]
        let holdsToken = document.fields.contains { field in
            guard fields.contains(field.key), let token = field.value.string else { return false }
            return text.lowercased().contains(token.lowercased())
        }
        return holdsToken ? "an _id that holds its token" : String(text.prefix(mostCharacters))
    }
}
