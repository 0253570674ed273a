/// Tags in one cell of CSV: semicolons between them, and a backslash before a semicolon or a backslash of a tag's own.
enum DeviceTags {
    static func text(_ tags: [String]) -> String {
        tags.map { $0.replacing("\\", with: "\\\\").replacing(";", with: "\\;") }.joined(separator: ";")
    }

    /// - Returns: the tags that ``text(_:)`` was given; in a text of somebody else's, a backslash before anything else is itself.
    static func tags(of text: String) -> [String] {
        var tags: [String] = []
        var tag = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in text.unicodeScalars {
            switch scalar {
            case _ where isEscaped:
                if !["\\", ";"].contains(scalar) { tag.append("\\") }
                tag.append(scalar)
                isEscaped = false
            case "\\": isEscaped = true
            case ";":
                tags.append(String(tag))
                tag = String.UnicodeScalarView()
            default: tag.append(scalar)
            }
        }
        if isEscaped { tag.append("\\") }
        return (tags + [String(tag)]).filter { !$0.isEmpty }
    }
}
