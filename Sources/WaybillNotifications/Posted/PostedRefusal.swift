package import WaybillCore
package import WaybillMongo

/// Why a posted notification cannot be sent: the field and its limit, never what is in it.
package struct PostedRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
    /// The one field that is wrong, by its name, one within another with dots between; `nil` where several are, or none.
    package let field: String?
    /// Whether it may be sent at another time, as it stands.
    package private(set) var mayPass = false

    init(_ field: String, _ text: String, mayPass: Bool = false) {
        self.field = field.contains(" ") ? nil : field
        self.mayPass = mayPass
        description = "\(field): \(text)"
    }

    /// - Parameter error: what the server says of the document's own query.
    package init(_ error: MongoError) {
        field = nil
        description = error.refusal
    }

    /// - Parameter rejection: of the audience message that was made of it, in whose names the document's fields stand.
    package init(_ rejection: BodyRejection) {
        let detail = rejection.detail
        let name = Self.names.first { detail.hasPrefix($0.audience) }
        description = name.map { $0.document + detail.dropFirst($0.audience.count) } ?? detail
        let first = description.prefix { $0 != ":" }
        let isName = first.utf8.allSatisfy {
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".")
        }
        // A document has no content: it is what a message makes of several of its fields.
        let isField = isName && !first.isEmpty && first.endIndex < description.endIndex && first != "content"
        field = isField ? String(first) : nil
    }

    /// What an audience message and a document call the same, as refusals begin with it.
    private static let names: [(audience: String, document: String)] = [
        ("select: ", ""), ("select.", ""), ("audience_id: ", "_id: "), ("content: expiration: ", "expires_at: "),
        ("content: message: ", "content: "),
    ]
}
