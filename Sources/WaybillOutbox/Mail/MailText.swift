/// What a mail's texts may hold.
enum MailText {
    static let maximumSubjectBytes = 255
    static let maximumBytes = 64 << 10

    /// A character that is no letter: it would end a header's line, or do something to a terminal.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// - Throws: ``MailError/subject(_:)``.
    static func requireSubject(_ text: String) throws(MailError) {
        guard !text.isEmpty else { throw .subject("is empty") }
        guard text.utf8.count <= maximumSubjectBytes else {
            throw .subject("is longer than \(maximumSubjectBytes) bytes")
        }
        guard !text.unicodeScalars.contains(where: isControl) else {
            throw .subject("has a line break or another control character")
        }
    }

    /// - Throws: ``MailError/text(_:)``.
    static func requireText(_ text: String) throws(MailError) {
        guard !text.isEmpty else { throw .text("is empty") }
        guard text.utf8.count <= maximumBytes else { throw .text("is longer than \(maximumBytes) bytes") }
        guard !text.unicodeScalars.contains(where: { isControl($0) && $0 != "\n" }) else {
            throw .text("has a control character that is no line feed")
        }
    }

    /// The text for HTML, inside an element or an attribute in quotation marks.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
