/// Base64 with the first alphabet and with padding (RFC 4648 §4).
package enum Base64 {
    /// The text of some bytes, its length a multiple of four.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        let text = Base64URL.encode(bytes).utf8.map { character in
            switch character {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: character
            }
        }
        let padding = repeatElement(UInt8(ascii: "="), count: (4 - text.count % 4) % 4)
        return String(decoding: text + padding, as: UTF8.self)
    }

    /// The bytes of a text; `nil` if it has a foreign character, stray bits or not the padding that it needs.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let digits = text.utf8.prefix { $0 != UInt8(ascii: "=") }
        let padding = text.utf8.dropFirst(digits.count)
        guard text.utf8.count % 4 == 0, padding.count < 3, padding.allSatisfy({ $0 == UInt8(ascii: "=") }) else {
            return nil
        }
        var characters: [UInt8] = []
        for digit in digits {
            switch digit {
            case UInt8(ascii: "+"): characters.append(UInt8(ascii: "-"))
            case UInt8(ascii: "/"): characters.append(UInt8(ascii: "_"))
            case UInt8(ascii: "-"), UInt8(ascii: "_"): return nil
            default: characters.append(digit)
            }
        }
        return Base64URL.decode(String(decoding: characters, as: UTF8.self))
    }
}
