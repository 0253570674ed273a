/// A mail to one person: plain text, and the same as small HTML.
///
/// A value of this type can be sent: everything in it was checked, so that no text of somebody else becomes a header.
package struct Mail: Hashable, Sendable {
    package let recipient: MailAddress
    package let subject: String
    let text: String
    let html: String

    /// Composes a mail.
    ///
    /// - Parameters:
    ///   - recipient: to whom.
    ///   - subject: one line, at most 255 bytes.
    ///   - paragraphs: what it says; line feeds inside a paragraph stay. None of it is read as HTML.
    ///   - link: what its reader is to open, behind the first paragraph; in plain text on a line of its own.
    /// - Throws: ``MailError`` for what cannot be sent.
    package init(
        to recipient: MailAddress,
        subject: String,
        paragraphs: [String],
        link: MailLink? = nil
    ) throws(MailError) {
        var texts = paragraphs
        var elements = paragraphs.map { paragraph in
            let lines = paragraph.split(separator: "\n", omittingEmptySubsequences: false)
            return "<p>\(lines.map { MailText.escaped(String($0)) }.joined(separator: "<br>"))</p>"
        }
        if let link {
            let place = min(1, paragraphs.count)
            let url = MailText.escaped(link.url)
            texts.insert("\(link.label):\n\(link.url)", at: place)
            elements.insert(
                """
                <p><a href="\(url)" style="\(Self.buttonStyle)">\(MailText.escaped(link.label))</a></p>
                <p><a href="\(url)">\(url)</a></p>
                """,
                at: place
            )
        }
        try self.init(
            recipient: recipient,
            subject: subject,
            text: texts.joined(separator: "\n\n") + "\n",
            html: """
                <!DOCTYPE html>
                <html><head><meta charset="utf-8"><title>\(MailText.escaped(subject))</title></head>
                <body style="font-family: sans-serif; max-width: 36em">
                \(elements.joined(separator: "\n"))
                </body></html>

                """
        )
    }

    /// A mail as it was stored.
    init(recipient: MailAddress, subject: String, text: String, html: String) throws(MailError) {
        try MailText.requireSubject(subject)
        try MailText.requireText(text)
        try MailText.requireText(html)
        self.recipient = recipient
        self.subject = subject
        self.text = text
        self.html = html
    }

    private static let buttonStyle =
        "display: inline-block; padding: 0.6em 1.2em; border-radius: 0.4em; background: #1a56b0; color: #ffffff; "
        + "text-decoration: none"
}
