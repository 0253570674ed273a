import HTTPTypes
import Hummingbird

/// What a request says that its body is.
enum JSONMediaType {
    /// What is taken as the name of UTF-8.
    private static let utf8: Set = ["utf-8", "utf8"]

    /// Refuses a body that does not say that it is JSON, and one in another charset than UTF-8 (RFC 8259, 8.1).
    ///
    /// - Throws: ``Problem`` 415.
    static func require(_ request: Request) throws(Problem) {
        let parts = (request.headers[.contentType] ?? "").split(separator: ";").map { part in
            part.trimmingPrefix { $0.isWhitespace }.lowercased()
        }
        let type = parts.first.map { $0.prefix { !$0.isWhitespace } }
        guard type == "application/json" else {
            throw Problem(.unsupportedMediaType, "a body is JSON here: Content-Type: application/json")
        }
        for part in parts.dropFirst() where part.hasPrefix("charset=") {
            let charset = part.dropFirst("charset=".count).filter { $0 != "\"" && !$0.isWhitespace }
            guard !utf8.contains(charset) else { continue }
            let named = isRepeatable(charset) ? "the charset \(charset)" : "another charset"
            throw Problem(.unsupportedMediaType, "a body is JSON in UTF-8 here, and this says \(named)")
        }
    }

    /// Whether an answer may repeat it: a word that is shorter than any token or key.
    private static func isRepeatable(_ name: String) -> Bool {
        1...16 ~= name.utf8.count
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                    UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
