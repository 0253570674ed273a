package import WaybillCore
import WaybillEncoding

/// What somebody wants explained.
package enum InvestigationSubject: Hashable, Sendable {
    /// A device, by its token in lower-case hexadecimal digits.
    case token([UInt8])
    case notification(NotificationID)
    case batch(String)

    /// The fewest digits that a token of APNs has.
    private static let usualDigits = 64
    /// Half a token: so many digits side by side are few names' own.
    private static let fewestSuspectDigits = 32

    /// Recognises a text by its form, without spaces around it.
    ///
    /// A UUID is an apns-id, 64 or more hexadecimal digits are a token, and everything else is a batch's name; `nil` for an
    /// empty text.
    package init?(recognising text: String) {
        guard !text.isEmpty else { return nil }
        if let id = NotificationID(text) {
            self = .notification(id)
        } else if let token = Self.token(text), token.count >= Self.usualDigits {
            self = .token(token)
        } else {
            self = .batch(text)
        }
    }

    /// The last four of the hexadecimal digits of a text that may be a token with something around it or amiss, which nobody should
    /// see in clear; `nil` where no 32 of them stand side by side, or with nothing but spaces between them.
    package static func tailOfMistypedToken(_ text: String) -> String? {
        let runs = text.filter { !$0.isWhitespace }.split { !$0.isASCII || !$0.isHexDigit }
        return runs.first { $0.count >= fewestSuspectDigits }.map { String($0.suffix(4)) }
    }

    /// The digits of a token, as they are recorded; `nil` for a text that is none.
    package static func token(_ text: String) -> [UInt8]? {
        let digits = Array(text.lowercased().utf8)
        guard (2...400).contains(digits.count), digits.count.isMultiple(of: 2),
            digits.allSatisfy({ Hexadecimal.value(of: $0) != nil })
        else { return nil }
        return digits
    }
}
