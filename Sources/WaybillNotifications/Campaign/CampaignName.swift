import Foundation

/// What a campaign may be called: a name stands in paths, in commands, and in those of its batches.
package enum CampaignName {
    /// How long a name may be: those of its parts are longer.
    static let bytes = 200

    /// - Returns: what is wrong with a name, for behind its field; `nil` for a good one.
    package static func problem(_ name: String) -> String? {
        guard (1...bytes).contains(name.utf8.count) else { return "must have 1 to \(bytes) bytes" }
        guard name != ".", name != ".." else { return "must not be . or .." }
        guard !name.unicodeScalars.contains("/") else { return "must not have a slash" }
        guard !name.unicodeScalars.contains(where: isInvisible) else {
            return "must not have control characters, or others that nobody sees, or blanks other than the plain space"
        }
        // The store compares bytes: two names that look alike would be two campaigns.
        guard name.precomposedStringWithCanonicalMapping.utf8.elementsEqual(name.utf8) else {
            return "must be in the composed form (Unicode NFC)"
        }
        guard name.first != " ", name.last != " " else { return "must not begin or end with a space" }
        return nil
    }

    private static func isInvisible(_ scalar: UnicodeScalar) -> Bool {
        // Of Braille it is the pattern without a dot.
        guard !scalar.properties.isDefaultIgnorableCodePoint, scalar != "\u{2800}" else { return true }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: true
        case .spaceSeparator: scalar != " "
        default: false
        }
    }
}
