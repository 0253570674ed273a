import HTTPTypes
import Hummingbird

extension Request {
    /// The members of a list in a header field, without the blanks around them.
    func words(of name: HTTPField.Name) -> [Substring] { head.words(of: name) }

    /// Whether who asks has an answer already, by `If-None-Match`.
    func knows(tag: String) -> Bool { head.knows(tag: tag) }
}

extension HTTPRequest {
    /// The members of a list in a header field, without the blanks around them.
    func words(of name: HTTPField.Name) -> [Substring] {
        headerFields[values: name].joined(separator: ",").split(separator: ",").map { $0.trimmingBlanks }
    }

    /// Whether who asks has an answer already, by `If-None-Match` (RFC 9110, 13.1.2).
    ///
    /// - Parameter tag: the answer's; compared weakly.
    /// - Returns: `true` also for `*`, which stands for any.
    func knows(tag: String) -> Bool {
        words(of: .ifNoneMatch).contains { $0 == "*" || $0.trimmingPrefix("W/") == tag }
    }
}

extension Substring {
    fileprivate var trimmingBlanks: Substring {
        func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
        let begin = drop(while: isBlank)
        return begin.lastIndex { !isBlank($0) }.map { begin[...$0] } ?? ""
    }
}
