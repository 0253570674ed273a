/// The id of a channel: 16 bytes in base64 with padding (RFC 4648 §4).
enum ChannelID {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    /// Sixteen bytes are 22 digits and two signs of padding.
    private static let length = 24
    private static let padding = UInt8(ascii: "=")

    /// A new id of random bytes.
    static func make(from generator: inout SeededGenerator) -> String {
        let bytes = [generator.next(), generator.next()].flatMap { word in
            withUnsafeBytes(of: word.bigEndian) { Array($0) }
        }
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for digit in 0..<(group.count + 1) { text.append(digits[bits >> (18 - 6 * digit) & 63]) }
        }
        text += Array(repeating: padding, count: length - text.count)
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether a header could be an id, known or not.
    static func isWellFormed(_ bytes: some Collection<UInt8>) -> Bool {
        guard bytes.count == length, bytes.suffix(2).allSatisfy({ $0 == padding }) else { return false }
        guard bytes.prefix(22).allSatisfy({ digits.contains($0) }) else { return false }
        // The last digit carries two bits only.
        let last = bytes.prefix(22).suffix(1).first.flatMap { digits.firstIndex(of: $0) } ?? 1
        return last & 15 == 0
    }
}
