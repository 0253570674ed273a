/// Tags in one cell of CSV: semicolons between them, and a backslash before a semicolon or a backslash of a tag's own.
enum DeviceTags {
    static func text(_ tags: [String]) -> String { tags.map(escaped).joined(separator: ";") }

    /// By scalars, as they are read: a semicolon that a mark joins is another character.
    private static func escaped(_ tag: String) -> String {
        var text = String.UnicodeScalarView()
        for scalar in tag.unicodeScalars {
            if ["\\", ";"].contains(scalar) { text.append("\\") }
            text.append(scalar)
        }
        return String(text)
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
