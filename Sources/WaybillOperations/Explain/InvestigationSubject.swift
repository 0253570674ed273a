package import WaybillCore
import WaybillEncoding

/// What somebody wants explained.
package enum InvestigationSubject: Hashable, Sendable {
    /// A device, by its token as it is recorded.
    case token([UInt8])
    case notification(NotificationID)
    case batch(String)

    /// The fewest digits that a token of APNs has.
    private static let usualDigits = 64
    /// Half a token: so many digits side by side are few names' own.
    private static let fewestSuspectDigits = 32

    /// Recognises a text by its form, without spaces around it.
    ///
    /// A UUID is an apns-id, 64 or more hexadecimal digits are a token, and so is what has the form of FCM's; everything else is
    /// a batch's name; `nil` for an empty text.
    ///
    /// - Parameters:
    ///   - text: of anybody.
    ///   - mayBeShort: whether all that may be a token of FCM is one, as where somebody has kept it from a command line: what has a colon.
    package init?(recognising text: String, mayBeShort: Bool = false) {
        guard !text.isEmpty else { return nil }
        if let id = NotificationID(text) {
            self = .notification(id)
        } else if let token = Self.token(text),
            token.count >= Self.usualDigits && Self.isHexadecimal(token)
                || (mayBeShort ? text.utf8.contains(UInt8(ascii: ":")) : Self.looksLikeFCMs(text))
        {
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

    /// What ``token(_:)`` takes, in words.
    package static let tokenForm =
        "a token has 2 to 400 hexadecimal digits, an even number, or is FCM's, of printable ASCII with a colon"

    /// A token of any provider, as it is recorded; `nil` for a text that is none.
    ///
    /// What is hexadecimal alone is APNs', in lower case. FCM's have a colon, and their case counts.
    package static func token(_ text: String) -> [UInt8]? {
        let digits = Array(text.lowercased().utf8)
        if (2...400).contains(digits.count), digits.count.isMultiple(of: 2), isHexadecimal(digits) { return digits }
        let token = Array(text.utf8)
        guard token.count <= 4096, token.contains(UInt8(ascii: ":")),
            token.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        return token
    }

    private static func isHexadecimal(_ text: [UInt8]) -> Bool {
        text.allSatisfy { Hexadecimal.value(of: $0) != nil }
    }

    /// The form that FCM's tokens have today: 22 characters, a colon, and a hundred more.
    ///
    /// No name of a batch is like that by chance.
    private static func looksLikeFCMs(_ text: String) -> Bool {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        return text.utf8.distance(from: text.utf8.startIndex, to: colon) == 22
            && text.utf8[colon...].starts(with: ":APA91b".utf8)
    }
}
