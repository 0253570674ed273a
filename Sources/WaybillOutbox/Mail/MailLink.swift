/// What a mail asks its reader to open.
package struct MailLink: Hashable, Sendable {
    /// What the button says.
    package let label: String
    /// `https://…`, or `http://…` where nothing else is there, as in a demo.
    package let url: String

    /// - Throws: ``MailError/link(_:)`` for another scheme (mail programs strip them), for blanks, control characters and
    ///   quotation marks, and for a label that is empty or more than a line.
    package init(label: String, url: String) throws(MailError) {
        guard !label.isEmpty, !label.unicodeScalars.contains(where: MailText.isControl) else {
            throw .link("has no label, or one of more than a line")
        }
        guard url.hasPrefix("https://") || url.hasPrefix("http://"), url.utf8.count <= 2048 else {
            throw .link("is no URL with https:// or http:// in front, or longer than 2048 bytes")
        }
        guard url.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) }) else {
            throw .link("has a character that does not stand in a URL")
        }
        self.label = label
        self.url = url
    }
}
