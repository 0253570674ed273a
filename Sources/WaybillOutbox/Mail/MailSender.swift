/// Whom a mail comes from: an address, and mostly a name in front of it.
package struct MailSender: Hashable, Sendable {
    private static let maximumNameBytes = 128

    /// Empty: the address stands alone.
    package let name: String
    package let address: MailAddress

    /// Reads `name@example.com` or `Name <name@example.com>`, the latter with quotation marks around the name or without.
    ///
    /// - Throws: ``MailError/sender(_:)`` or ``MailError/address(_:)``.
    package init(_ text: String) throws(MailError) {
        guard text.hasSuffix(">"), let bracket = text.lastIndex(of: "<") else {
            name = ""
            address = try MailAddress(text)
            return
        }
        address = try MailAddress(String(text[text.index(after: bracket)...].dropLast()))
        var name = text[..<bracket]
        while name.last == " " { name.removeLast() }
        if name.count >= 2, name.first == "\"", name.last == "\"" { name = name.dropFirst().dropLast() }
        guard name.utf8.count <= Self.maximumNameBytes else {
            throw .sender("has a name of more than \(Self.maximumNameBytes) bytes")
        }
        guard !name.unicodeScalars.contains(where: MailText.isControl), !name.contains("\"") else {
            throw .sender("has a control character or a quotation mark in its name")
        }
        self.name = String(name)
    }
}
