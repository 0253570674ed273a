package import WaybillCore

/// Why a posted notification cannot be sent: the field and its limit, never what is in it.
package struct PostedRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
    /// The one field that is wrong, by its name, one within another with dots between; `nil` where several are, or none.
    package let field: String?

    init(_ field: String, _ text: String) {
        self.field = field.contains(" ") ? nil : field
        description = "\(field): \(text)"
    }

    /// - Parameter rejection: of the audience message that was made of it, in whose names the document's fields stand.
    package init(_ rejection: BodyRejection) {
        field = nil
        description =
            ["select: ", "select."].first(where: rejection.detail.hasPrefix)
            .map { String(rejection.detail.dropFirst($0.count)) } ?? rejection.detail
    }
}
