/// An address that mail can go to, as `local@domain` in ASCII (RFC 5321, without quoted forms and address literals).
///
/// What it accepts can stand in a header and in a command of SMTP as it is: no control character, blank, bracket, comma or
/// quotation mark. A domain with other letters is written in its ASCII form (`xn--…`) before it comes here.
///
/// It is personal data: a description does not show it.
package struct MailAddress: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    package static let maximumBytes = 254
    private static let maximumLocalBytes = 64

    /// The address as it was given.
    package let text: String

    /// - Throws: ``MailError/address(_:)`` for what is none.
    package init(_ text: String) throws(MailError) {
        guard text.utf8.count <= Self.maximumBytes else {
            throw .address("is longer than \(Self.maximumBytes) bytes")
        }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .address("has a character that is not printable ASCII")
        }
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, let local = parts.first, let domain = parts.last else {
            throw .address("is not of the form local@domain")
        }
        guard local.count <= Self.maximumLocalBytes, Self.dotted(local).allSatisfy(Self.isAtom) else {
            throw .address("has no usable part before the @")
        }
        guard Self.dotted(domain).allSatisfy(Self.isLabel) else { throw .address("has no usable domain") }
        self.text = text
    }

    /// What follows the `@`.
    package var domain: String { String(text[text.index(after: text.lastIndex(of: "@") ?? text.startIndex)...]) }

    package var description: String { "a mail address" }
    package var debugDescription: String { description }

    private static func dotted(_ part: Substring.UTF8View) -> [Substring.UTF8View] {
        part.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    }

    private static func isAtom(_ part: Substring.UTF8View) -> Bool {
        !part.isEmpty && part.allSatisfy { isLetterOrDigit($0) || "!#$%&'*+-/=?^_`{|}~".utf8.contains($0) }
    }

    private static func isLabel(_ part: Substring.UTF8View) -> Bool {
        guard let first = part.first, let last = part.last, part.count <= 63 else { return false }
        return isLetterOrDigit(first) && isLetterOrDigit(last)
            && part.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
