import Glibc
import WaybillEncoding
import WaybillTLS

/// A mail as it is sent (RFC 5322, MIME): the same bytes each time, so that what goes twice is known for the same.
package struct MailMessage: Sendable {
    /// Without brackets: derived from the mail's id, with the sender's domain.
    package let messageID: String
    package let sender: MailAddress
    package let recipient: MailAddress
    /// Lines of at most 998 bytes that end in CR and LF; ASCII.
    package let bytes: [UInt8]

    /// - Parameters:
    ///   - mail: what to send.
    ///   - id: the mail's own; it does not appear itself.
    ///   - sender: whom it comes from.
    ///   - date: when it was written, in milliseconds since 1970.
    package init(_ mail: Mail, id: String, from sender: MailSender, date: Int64) {
        let name = String(SHA256Hasher.digest(of: "waybill mail \(id)".utf8).hexadecimal.prefix(32))
        messageID = "\(name)@\(sender.address.domain)"
        self.sender = sender.address
        recipient = mail.recipient
        // No line of base64 begins with two hyphens, so that no content ends a part.
        let boundary = "part-\(name)"
        let lines =
            [
                "Date: \(Self.date(date))",
                "From: \(Self.mailbox(sender))",
                "To: <\(mail.recipient.text)>",
                "Subject: \(Self.headerText(mail.subject))",
                "Message-ID: <\(messageID)>",
                "Auto-Submitted: auto-generated",
                "MIME-Version: 1.0",
                "Content-Type: multipart/alternative;",
                " boundary=\"\(boundary)\"",
                "",
            ] + Self.part("text/plain", mail.text, boundary) + Self.part("text/html", mail.html, boundary)
            + ["--\(boundary)--", ""]
        bytes = Array(lines.joined(separator: "\r\n").utf8)
    }

    private static func part(_ type: String, _ text: String, _ boundary: String) -> [String] {
        let content = text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
        var rest = Base64.encode(content.utf8)[...]
        var lines: [String] = []
        while !rest.isEmpty {
            lines.append(String(rest.prefix(76)))
            rest = rest.dropFirst(76)
        }
        return [
            "--\(boundary)", "Content-Type: \(type); charset=utf-8", "Content-Transfer-Encoding: base64", "",
        ] + lines
    }

    private static func mailbox(_ sender: MailSender) -> String {
        guard !sender.name.isEmpty else { return "<\(sender.address.text)>" }
        let isPlain = sender.name.unicodeScalars.allSatisfy { $0.isASCII && $0 != "\\" } && sender.name.utf8.count < 60
        let name = isPlain ? "\"\(sender.name)\"" : encodedWords(sender.name)
        return "\(name) <\(sender.address.text)>"
    }

    /// A text for a header: as it is where that is short and means nothing else, else as encoded words (RFC 2047).
    private static func headerText(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { $0 < 0x80 } && text.utf8.count <= 66 && !text.contains("=?")
        // A blank at either end would be lost.
        return isPlain && text.first != " " && text.last != " " ? text : encodedWords(text)
    }

    /// Words of at most 39 bytes, each on a line of its own, none of which splits a character.
    private static func encodedWords(_ text: String) -> String {
        var words: [String] = [""]
        for scalar in text.unicodeScalars {
            if words[words.count - 1].utf8.count + String(scalar).utf8.count > 39 { words.append("") }
            words[words.count - 1].unicodeScalars.append(scalar)
        }
        return words.map { "=?utf-8?B?\(Base64.encode($0.utf8))?=" }.joined(separator: "\r\n ")
    }

    /// As `Mon, 23 Nov 2026 01:44:09 +0000`.
    private static func date(_ milliseconds: Int64) -> String {
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        var clock = time_t(milliseconds / 1000)
        var parts = tm()
        gmtime_r(&clock, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let day = "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)])"
        let time = "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
        return "\(day) \(Int(parts.tm_year) + 1900) \(time) +0000"
    }
}
