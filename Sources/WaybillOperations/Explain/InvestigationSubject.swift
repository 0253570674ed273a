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

    /// The digits of a token, as they are recorded; `nil` for a text that is none.
    package static func token(_ text: String) -> [UInt8]? {
        let digits = Array(text.lowercased().utf8)
        guard (2...400).contains(digits.count), digits.count.isMultiple(of: 2),
            digits.allSatisfy({ Hexadecimal.value(of: $0) != nil })
        else { return nil }
        return digits
    }
}
