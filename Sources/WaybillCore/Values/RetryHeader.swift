/// What a delayed retry says of itself in its AMQP headers.
package struct RetryHeader: Hashable, Sendable {
    /// The pass over the items that this message asks for: 1 was the producer's own message, so 2 and above.
    package var attempt: Int
    /// The positions that its items have in the producer's message, in ascending order.
    package var indexes: [Int]
    /// What the ids of the producer's message derive from: the retry's own body is only a part of it.
    package var identity: MessageIdentity

    package init(attempt: Int, indexes: [Int], identity: MessageIdentity) {
        self.attempt = attempt
        self.indexes = indexes
        self.identity = identity
    }

    /// The header that holds ``attempt``, a number.
    package static let attemptName = "x-waybill-attempt"
    /// The header that holds ``itemsText``.
    package static let itemsName = "x-waybill-items"
    /// The header that holds the digest of ``identity``, as text.
    package static let digestName = "x-waybill-digest"
    /// The header that holds the time of ``identity``, a number; absent if it has none.
    package static let timeName = "x-waybill-time"

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
