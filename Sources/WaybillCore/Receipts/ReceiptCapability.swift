import WaybillEncoding
import WaybillTLS

/// What a push carries so that its device can say what became of it there, and nothing else: `v1.<key id>.<expiry>.<mac>`, or
/// `v2.<key id>.<expiry>.<content>.<mac>` where its producer gave the id.
///
/// The expiry is in seconds since 1970; the content, 16 hexadecimal digits, is what the push is about, as its record has it;
/// the code is the first 16 bytes of HMAC-SHA-256, in base64url without padding, of the same text with the notification's id
/// (canonical, in lower case) in the code's place. So a capability is good for one notification, also where another one has the
/// same id, and nothing has to be looked up to check it. Whoever has one can say of that notification what they like, and of no
/// other.
///
/// Test vectors in `schemas/test-vectors.json`.
package enum ReceiptCapability {
    /// What a capability is worth.
    package enum Verdict: Hashable, Sendable {
        /// Made for a push that is about this, where its producer gave the id.
        case valid(content: UInt64?)
        /// None of ours, another notification's, or changed.
        case forged
        /// Was good until its expiry.
        case expired
    }

    /// The longest there is of a notification whose producer gave the id, or of another one.
    package static func mostBytes(isGiven: Bool) -> Int {
        version.count + ReceiptKey.mostIDBytes + 1 + mostExpiryDigits + 1 + (isGiven ? contentDigits + 1 : 0) + macBytes
    }

    /// The last second that one can be good for: in the year 2286.
    package static let latestExpiry: Int64 = 9_999_999_999

    private static let version = Array("v1.".utf8)
    private static let versionWithContent = Array("v2.".utf8)
    private static let mostExpiryDigits = 10
    private static let contentDigits = 16
    /// In base64url; 128 bits in all.
    private static let macBytes = 22

    /// Writes the capability of a notification behind what is there.
    ///
    /// Allocates nothing where there is room.
    ///
    /// - Parameters:
    ///   - subject: whose it is.
    ///   - expiry: seconds since 1970, from 0 to ``latestExpiry``.
    ///   - key: makes it.
    ///   - bytes: gets at most ``mostBytes(isGiven:)``.
    package static func append(
        of subject: ReceiptSubject,
        expiry: Int64,
        key: ReceiptKey,
        to bytes: inout [UInt8]
    ) {
        let start = bytes.count
        bytes.append(contentsOf: subject.content == nil ? version : versionWithContent)
        bytes.append(contentsOf: key.id.utf8)
        bytes.append(UInt8(ascii: "."))
        appendDecimal(min(max(expiry, 0), latestExpiry), to: &bytes)
        bytes.append(UInt8(ascii: "."))
        if let content = subject.content {
            appendHexadecimal(content, to: &bytes)
            bytes.append(UInt8(ascii: "."))
        }
        let mac = bytes.withUnsafeBufferPointer { all in
            Self.mac(head: UnsafeBufferPointer(rebasing: all[start...]), id: subject.id, key: key)
        }
        for place in 0..<macBytes { bytes.append(mac.character(at: place)) }
    }

    /// Says what a capability is worth that was shown for a notification.
    ///
    /// The time it takes says nothing of how much of the code was right.
    ///
    /// - Parameters:
    ///   - bytes: what was shown.
    ///   - id: the notification that it was shown for.
    ///   - now: seconds since 1970.
    ///   - keys: those that are live.
    /// - Returns: ``Verdict/expired`` only for one that was good.
    package static func verdict(
        on bytes: UnsafeBufferPointer<UInt8>,
        for id: NotificationID,
        now: Int64,
        keys: ReceiptKeys
    ) -> Verdict {
        guard bytes.count <= mostBytes(isGiven: true), let parts = parts(of: bytes), let key = keys.key(parts.keyID)
        else {
            return .forged
        }
        let mac = Self.mac(head: parts.head, id: id, key: key)
        var difference: UInt8 = 0
        for place in 0..<macBytes { difference |= mac.character(at: place) ^ parts.mac[place] }
        guard difference == 0 else { return .forged }
        return now <= parts.expiry ? .valid(content: parts.content) : .expired
    }

    // MARK: - Parts

    private struct Parts {
        /// Up to the last dot, which belongs to it.
        let head: UnsafeBufferPointer<UInt8>
        let keyID: UnsafeBufferPointer<UInt8>
        let expiry: Int64
        let content: UInt64?
        let mac: UnsafeBufferPointer<UInt8>
    }

    /// `nil` for what has another form, or is not written in the one way in which it is made.
    private static func parts(of bytes: UnsafeBufferPointer<UInt8>) -> Parts? {
        let dot = UInt8(ascii: ".")
        let hasContent = bytes.starts(with: versionWithContent)
        guard hasContent || bytes.starts(with: version), let second = bytes[version.count...].firstIndex(of: dot),
            let third = bytes[(second + 1)...].firstIndex(of: dot)
        else { return nil }
        let digits = bytes[(second + 1)..<third]
        var last = third
        var content: UInt64?
        if hasContent {
            last += contentDigits + 1
            guard last < bytes.count, bytes[last] == dot,
                let number = hexadecimal(UnsafeBufferPointer(rebasing: bytes[(third + 1)..<last]))
            else { return nil }
            content = number
        }
        let mac = bytes[(last + 1)...]
        guard mac.count == macBytes, (1...mostExpiryDigits).contains(digits.count),
            digits.count == 1 || digits.first != UInt8(ascii: "0")
        else { return nil }
        var expiry: Int64 = 0
        for digit in digits {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
            expiry = expiry * 10 + Int64(digit - UInt8(ascii: "0"))
        }
        return Parts(
            head: UnsafeBufferPointer(rebasing: bytes[...last]),
            keyID: UnsafeBufferPointer(rebasing: bytes[version.count..<second]),
            expiry: expiry,
            content: content,
            mac: UnsafeBufferPointer(rebasing: mac)
        )
    }

    /// The first 16 bytes of the code, of which each six bits are a character.
    private struct Mac {
        let high: UInt64
        let low: UInt64

        func character(at place: Int) -> UInt8 {
            // The last character has two bits, and four zeros behind them.
            let shift = 128 - 6 * (place + 1)
            let bits: UInt64 =
                if shift < 0 {
                    low << UInt64(-shift)
                } else if shift >= 64 {
                    high >> UInt64(shift - 64)
                } else {
                    low >> UInt64(shift) | (shift > 58 ? high << UInt64(64 - shift) : 0)
                }
            return Self.character(UInt8(truncatingIfNeeded: bits & 63))
        }

        /// Without a table, so that no cache tells which one it was.
        private static func character(_ value: UInt8) -> UInt8 {
            switch value {
            case 0..<26: value + UInt8(ascii: "A")
            case 26..<52: value - 26 + UInt8(ascii: "a")
            case 52..<62: value - 52 + UInt8(ascii: "0")
            case 62: UInt8(ascii: "-")
            default: UInt8(ascii: "_")
            }
        }
    }

    private static func mac(head: UnsafeBufferPointer<UInt8>, id: NotificationID, key: ReceiptKey) -> Mac {
        let count = head.count + NotificationID.textLength
        return withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { message in
            message.copyMemory(from: UnsafeRawBufferPointer(head))
            id.writeText(to: UnsafeMutableRawBufferPointer(rebasing: message[head.count...]))
            let words = key.key.authenticate(UnsafeRawBufferPointer(message)).words
            return Mac(high: words.0, low: words.1)
        }
    }

    private static func appendDecimal(_ number: Int64, to bytes: inout [UInt8]) {
        var divisor: Int64 = 1
        while number / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10))
            divisor /= 10
        }
    }

    private static func appendHexadecimal(_ number: UInt64, to bytes: inout [UInt8]) {
        for place in 1...contentDigits {
            bytes.append(Hexadecimal.digit(UInt8(truncatingIfNeeded: number >> UInt64(64 - 4 * place) & 15)))
        }
    }

    /// `nil` for what has other characters than those that are written.
    private static func hexadecimal(_ digits: UnsafeBufferPointer<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            guard let value = Hexadecimal.value(of: digit), Hexadecimal.digit(value) == digit else { return nil }
            number = number << 4 | UInt64(value)
        }
        return number
    }
}
