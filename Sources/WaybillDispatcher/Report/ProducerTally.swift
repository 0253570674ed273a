import WaybillEncoding

/// Counts by producer, for a bounded number of names: they come from outside.
struct ProducerTally: Equatable, Sendable {
    private static let mostNames = 20
    /// Messages whose producer has no name, or came after there were enough.
    static let nameless = "(none)"
    static let others = "(others)"

    private(set) var counts: [ExactName: Int] = [:]

    /// Counts one message.
    ///
    /// - Parameter producer: its validated user; `nil` if it names none.
    mutating func add(_ producer: String?) {
        let name = ExactName(producer ?? Self.nameless)
        let isFull = counts[name] == nil && counts.count >= Self.mostNames
        counts[isFull ? ExactName(Self.others) : name, default: 0] += 1
    }

    /// All of them.
    var total: Int { counts.values.reduce(0, +) }

    /// As `acme-app 3, beta 1`, the largest first.
    var text: String {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
            .joined(separator: ", ")
    }
}
