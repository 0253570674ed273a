/// A word of a command that somebody may copy into a shell.
package enum ShellWord {
    /// A word in single quotes, if it holds what a shell would not leave alone.
    package static func quoted(_ word: String) -> String {
        let isPlain = !word.isEmpty && word.unicodeScalars.allSatisfy(isPlain)
        return isPlain ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
    }

    private static func isPlain(_ scalar: UnicodeScalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".", "/", ":", "=", "+", ",", "@", "%": true
        default: false
        }
    }
}
