/// What a delayed retry says of itself in its AMQP headers.
package struct RetryHeader: Hashable, Sendable {
    /// The pass over the items that this message asks for: 1 was the producer's own message, so 2 and above.
    package var attempt: Int
    /// The positions that its items have in the producer's message, in ascending order.
    package var indexes: [Int]

    package init(attempt: Int, indexes: [Int]) {
        self.attempt = attempt
        self.indexes = indexes
    }

    /// The header that holds ``attempt``, a number.
    package static let attemptName = "x-waybill-attempt"
    /// The header that holds ``itemsText``.
    package static let itemsName = "x-waybill-items"

    /// The positions as text: `0,5,17`.
    package var itemsText: String {
        indexes.lazy.map(String.init).joined(separator: ",")
    }

    /// Far above any number of attempts, far below an overflow.
    private static let mostAttempts = 1_000_000_000

    /// Reads the two headers; `nil` if they are not what a dispatcher writes.
    package init?(attempt: Int, itemsText: String) {
        guard 1...Self.mostAttempts ~= attempt else { return nil }
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
                // Far above any number of notifications, far below an overflow.
                guard value < 1_000_000_000 else { return nil }
                number = value
            }
        }
        guard let last = number, indexes.last.map({ $0 < last }) ?? true else { return nil }
        indexes.append(last)
        self.init(attempt: attempt, indexes: indexes)
    }
}
