import WaybillEncoding

/// A word of a command that somebody may copy into a shell.
package enum ShellWord {
    /// A word in single quotes, if it holds what a shell would not leave alone; hidden characters are written out, so that the
    /// command is what one sees (`$'…'` of bash and zsh).
    package static func quoted(_ word: String) -> String {
        let isPlain = !word.isEmpty && word.unicodeScalars.allSatisfy(isPlain)
        if isPlain { return word }
        guard HiddenCharacters.areIn(word) else { return "'" + word.replacing("'", with: #"'\''"#) + "'" }
        return "$'" + word.unicodeScalars.map(escaped).joined() + "'"
    }

    private static func escaped(_ scalar: UnicodeScalar) -> String {
        switch scalar {
        case "\\", "'": return "\\\(scalar)"
        case _ where !HiddenCharacters.contains(scalar): return String(scalar)
        default:
            let digits = String(scalar.value, radix: 16)
            let (letter, width) =
                switch scalar.value {
                case ..<0x80: ("x", 2)
                case ..<0x10000: ("u", 4)
                default: ("U", 8)
                }
            return "\\\(letter)" + String(repeating: "0", count: width - digits.count) + digits
        }
    }

    private static func isPlain(_ scalar: UnicodeScalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".", "/", ":", "=", "+", ",", "@", "%": true
        default: false
        }
    }
}
