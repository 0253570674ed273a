package import WaybillCore

/// Why a posted notification cannot be sent: the field and its limit, never what is in it.
package struct PostedRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ field: String, _ text: String) {
        description = "\(field): \(text)"
    }

    /// - Parameter rejection: of the audience message that was made of it, in whose names the document's fields stand.
    package init(_ rejection: BodyRejection) {
        description =
            ["select: ", "select."].first(where: rejection.detail.hasPrefix)
            .map { String(rejection.detail.dropFirst($0.count)) } ?? rejection.detail
    }
}
