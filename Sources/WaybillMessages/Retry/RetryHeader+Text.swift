package import WaybillCore

/// How the values of a retry's headers are written.
extension RetryHeader {
    /// The positions as text: `0,5,17`.
    package var itemsText: String {
        indexes.lazy.map(String.init).joined(separator: ",")
    }

    /// Far above any number of attempts, far below an overflow.
    private static let mostAttempts = 1_000_000_000

    /// Reads the headers; `nil` if they are not what a dispatcher writes.
    package init?(attempt: Int, itemsText: String, digestText: String, milliseconds: Int64?) {
        guard 1...Self.mostAttempts ~= attempt, let digest = MessageDigest(hexadecimal: digestText),
            0..<(1 << 48) ~= milliseconds ?? 0
        else { return nil }
        var indexes: [Int] = []
        var number: Int?
        for byte in itemsText.utf8 {
            if byte == UInt8(ascii: ",") {
                guard let value = number, indexes.last.map({ $0 < value }) ?? true else { return nil }
                indexes.append(value)
                number = nil
            } else {
                guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
                let value = (number ?? 0) * 10 + Int(byte - UInt8(ascii: "0"))
                guard value < MessageIdentity.positionCount else { return nil }
                number = value
            }
        }
        guard let last = number, indexes.last.map({ $0 < last }) ?? true else { return nil }
        indexes.append(last)
        self.init(
            attempt: attempt,
            indexes: indexes,
            identity: MessageIdentity(milliseconds: milliseconds.map { UInt64($0) }, digest: digest)
        )
    }
}
