/// An answer that says that the push service cannot take a push for the moment.
struct PutOffAnswer: Hashable, Sendable {
    let status: Int
    /// The provider's; `nil` for one that it is not known to use.
    let word: String?

    /// As `503 ServiceUnavailable`.
    var text: String { word.map { "\(status) \($0)" } ?? "\(status)" }
}

/// How often a push service has said that it cannot take a push for the moment, since the start.
struct PutOffAnswers: Equatable, Sendable {
    /// What is said beyond is left out: a status is whatever comes over the wire.
    static let most = 50

    private(set) var counts: [PutOffAnswer: Int] = [:]

    /// Nothing is done for an answer that is about the push itself, or its lane.
    mutating func count(status: Int, word: String?) {
        guard status == 429 || status >= 500 else { return }
        let answer = PutOffAnswer(status: status, word: word)
        guard counts.count < Self.most || counts[answer] != nil else { return }
        counts[answer, default: 0] += 1
    }

    /// What has come since an earlier moment, the most first.
    func since(_ earlier: PutOffAnswers) -> [(answer: PutOffAnswer, count: Int)] {
        counts.map { ($0.key, $0.value - (earlier.counts[$0.key] ?? 0)) }.filter { $0.1 > 0 }
            .sorted { ($1.1, $0.0.text) < ($0.1, $1.0.text) }
    }
}
