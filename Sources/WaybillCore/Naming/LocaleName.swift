/// Names of locales as language tags (BCP 47) in their canonical form, such as `de-AT` and `zh-Hans-CN`.
package enum LocaleName {
    /// Characters of a tag at the most.
    package static let mostCharacters = 35
    /// The error for a text without a canonical form, behind the field's name.
    package static let form = "must be a language tag of at most \(mostCharacters) characters, such as de-AT"

    /// Codes of ISO 639 that have been replaced, and that Java still uses.
    private static let languages = ["iw": "he", "in": "id", "ji": "yi"]

    /// The canonical form of a locale as phones write it: of BCP 47, POSIX, ICU or Java.
    ///
    /// Language and variants are in lower case, the script in title case, the region in upper case, with `-` between.
    /// Extensions, and what follows `@` or `.`, are left out: they say how times and numbers look.
    ///
    /// - Parameter text: such as `de_AT`, `PT-br`, `zh_CN_#Hans` or `en_US@rg=gbzzzz`.
    /// - Returns: `nil` for a text that is not one.
    package static func canonical(_ text: String) -> String? {
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let name = text.prefix { $0 != "@" && $0 != "." }
        var subtags = Array(subtags(of: name).prefix { $0.utf8.count != 1 })
        guard let language = subtags.first, isLetters(language, 2...3) else { return nil }
        subtags.removeFirst()
        var canonical = [languages[language] ?? language]
        func takeIf(_ isMeant: (String) -> Bool, _ form: (String) -> String = { $0 }) -> Bool {
            guard let next = subtags.first, isMeant(next) else { return false }
            canonical.append(form(next))
            subtags.removeFirst()
            return true
        }
        // An extended language, such as in zh-yue.
        while canonical.count < 4, takeIf({ isLetters($0, 3...3) }) {}
        _ = takeIf({ isLetters($0, 4...4) }, { String($0.prefix(1)).uppercased() + String($0.dropFirst()) })
        _ = takeIf({ isLetters($0, 2...2) || isDigits($0, 3...3) }, { $0.uppercased() })
        // Java's name of a calendar, as in ja_JP_JP.
        if subtags.first == canonical.last?.lowercased(), name.contains("_") { subtags.removeFirst() }
        while takeIf(isVariant) {}
        let tag = canonical.joined(separator: "-")
        return subtags.isEmpty && tag.utf8.count <= mostCharacters ? tag : nil
    }

    /// The canonical forms of locales that mean the same as these, each once: one that another one covers is left out.
    ///
    /// - Parameter texts: as filters name them.
    /// - Returns: in ascending order; without those that have no canonical form.
    package static func covering(_ texts: [String]) -> [String] {
        var covering: [String] = []
        // A tag stands behind those that it begins with.
        for tag in Set(texts.compactMap(canonical)).sorted()
        where !covering.contains(where: { tag.hasPrefix($0 + "-") }) {
            covering.append(tag)
        }
        return covering
    }

    /// In lower case, with a script that Java writes behind the region in its place.
    private static func subtags(of name: Substring) -> [String] {
        let parts = name.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        func split(_ part: Substring) -> [String] {
            // POSIX and Java leave out a region with its `_` in place.
            part.lowercased().split(omittingEmptySubsequences: !part.contains("-")) { $0 == "-" || $0 == "_" }
                .map(String.init)
        }
        var subtags = split(parts[0])
        if parts.count == 2, let script = split(parts[1]).first, isLetters(script, 4...4), !subtags.isEmpty {
            subtags.insert(script, at: 1)
        }
        return subtags
    }

    private static func isVariant(_ subtag: String) -> Bool {
        isWord(subtag, 5...8) || isWord(subtag, 4...4) && isDigits(String(subtag.prefix(1)), 1...1)
    }

    private static func isLetters(_ subtag: String, _ lengths: ClosedRange<Int>) -> Bool {
        lengths.contains(subtag.utf8.count)
            && subtag.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    }

    private static func isDigits(_ subtag: String, _ lengths: ClosedRange<Int>) -> Bool {
        lengths.contains(subtag.utf8.count)
            && subtag.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private static func isWord(_ subtag: String, _ lengths: ClosedRange<Int>) -> Bool {
        lengths.contains(subtag.utf8.count)
            && subtag.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
    }
}
