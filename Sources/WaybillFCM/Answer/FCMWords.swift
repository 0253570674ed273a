/// FCM's own words about an invalid message, for people: on one line, of at most 200 characters, without tokens and without
/// values of the message.
enum FCMWords {
    private static let most = 200
    /// No word of a sentence or a field's name is longer with digits in it; a token is.
    private static let leastToken = 16
    private static let redacted = "[redacted]"

    /// - Parameter texts: what FCM says.
    /// - Returns: `nil` where nothing is left.
    static func text(_ texts: [String]) -> String? {
        // Behind the first line stands the part of the message that is meant.
        let lines = texts.compactMap { $0.split(whereSeparator: \.isNewline).first }
        let text = lines.map { withoutTokens(withoutValue($0)) }.filter { !$0.isEmpty }.joined(separator: "; ")
        guard !text.isEmpty else { return nil }
        return text.count > most ? "\(text.prefix(most - 1))…" : text
    }

    /// `Invalid value at 'message.data[0].value' (TYPE_STRING), 12` has a value of the message behind the type.
    private static func withoutValue(_ line: Substring) -> Substring {
        guard let value = line.firstRange(of: "Invalid value at "),
            let type = line[value.upperBound...].firstIndex(of: ")")
        else { return line }
        return line[...type]
    }

    /// A line without what may be a token: long runs of a token's characters that are no words.
    private static func withoutTokens(_ line: Substring) -> String {
        var text = ""
        var run = ""
        for character in "\(line) " {
            if isOfToken(character) {
                run.append(character)
                continue
            }
            text += isToken(run) ? redacted : run
            run = ""
            text.append(isPrintable(character) ? character : " ")
        }
        return text.split(separator: " ").joined(separator: " ")
    }

    private static func isPrintable(_ character: Character) -> Bool {
        character.unicodeScalars.allSatisfy {
            $0.properties.generalCategory != .control && $0.properties.generalCategory != .format
        }
    }

    /// The characters of device tokens, installation ids, access tokens and keys.
    private static func isOfToken(_ character: Character) -> Bool {
        guard let byte = character.asciiValue else { return false }
        return isLetter(byte) || isDigit(byte) || "-_:+/=%~".utf8.contains(byte)
    }

    private static func isToken(_ run: String) -> Bool {
        guard run.utf8.count >= leastToken else { return false }
        return !run.utf8.split(whereSeparator: { "-_:+/=%~".utf8.contains($0) }).allSatisfy { isWords($0) }
    }

    /// Whether letters are words: all small, all capitals, or each begun by a capital and three long at the least.
    private static func isWords(_ letters: Substring.UTF8View) -> Bool {
        guard letters.allSatisfy(isLetter) else { return false }
        if letters.allSatisfy(isCapital) || !letters.contains(where: isCapital) { return letters.count <= 24 }
        var length = 3
        for letter in letters {
            guard isCapital(letter) else {
                length += 1
                continue
            }
            guard length >= 3 else { return false }
            length = 1
        }
        return length >= 3
    }

    private static func isCapital(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        isCapital(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
