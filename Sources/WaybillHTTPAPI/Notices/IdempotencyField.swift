import HTTPTypes

/// The header field `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07).
enum IdempotencyField {
    /// How long the name of a request may be, in bytes.
    static let longest = 255

    /// The name that a request has, in quotes or as it is; `nil`: none.
    ///
    /// - Throws: ``Problem`` 400 for what is too long, or there twice.
    static func name(_ fields: [String]) throws(Problem) -> String? {
        guard let field = fields.first else { return nil }
        let name =
            field.count >= 2 && field.hasPrefix("\"") && field.hasSuffix("\"")
            ? String(field.dropFirst().dropLast()) : field
        guard fields.count == 1, (1...longest).contains(name.utf8.count) else {
            throw Problem(.badRequest, "the header field Idempotency-Key has 1 to \(longest) bytes, once")
        }
        return name
    }
}

extension HTTPField.Name {
    static let idempotencyKey = Self("Idempotency-Key")!
    /// Marks an answer to a request that was answered before.
    static let idempotencyReplayed = Self("Idempotency-Replayed")!
}
