import HTTPTypes
import WaybillEncoding

/// The query as the thesis author's own app writes it: percent signs twice, and a plus sign that means itself.
enum NotifireQuery {
    /// - Throws: ``Problem`` 400 for a value that cannot be decoded, or is there twice.
    static func value(_ name: String, in query: String) throws(Problem) -> String? {
        var found: String?
        for part in query.split(separator: "&") {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides[0] == name else { continue }
            guard found == nil, sides.count == 2, let once = PercentEncoding.decode(sides[1]) else {
                throw Problem(.badRequest, "\(name) is there twice, or cannot be decoded")
            }
            found = isEncoded(once) ? PercentEncoding.decode(once) ?? once : once
        }
        return found
    }

    /// Whether something is left to decode: a percent sign with two hexadecimal digits behind it.
    private static func isEncoded(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.indices.contains { place in
            bytes[place] == UInt8(ascii: "%") && place + 2 < bytes.count
                && Hexadecimal.value(of: bytes[place + 1]) != nil && Hexadecimal.value(of: bytes[place + 2]) != nil
        }
    }
}
