import WaybillCore
import WaybillTelemetry

/// How many notifications ended how: a number for each outcome.
struct OutcomeTally: Equatable, Sendable {
    private var counts = [Int](repeating: 0, count: Outcome.allCases.count)

    subscript(_ outcome: Outcome) -> Int { counts[Self.index(of: outcome)] }

    /// Those that no attempt will follow.
    var final: Int { Outcome.allCases.reduce(0) { $0 + ($1.isFinal ? self[$1] : 0) } }

    /// Those of every outcome.
    var all: Int { counts.reduce(0, +) }

    /// Those that have occurred.
    var nonzero: [(outcome: Outcome, count: Int)] {
        Outcome.allCases.compactMap { self[$0] > 0 ? ($0, self[$0]) : nil }
    }

    mutating func count(_ outcome: Outcome, _ number: Int = 1) { counts[Self.index(of: outcome)] += number }

    mutating func add(_ other: Self) {
        for index in counts.indices { counts[index] += other.counts[index] }
    }

    /// The place of an outcome; a dictionary would hash for each notification.
    private static func index(of outcome: Outcome) -> Int {
        switch outcome {
        case .accepted: 0
        case .rejected: 1
        case .tokenInvalid: 2
        case .invalid: 3
        case .expired: 4
        case .unknown: 5
        case .cancelled: 6
        case .superseded: 7
        case .deferred: 8
        }
    }
}

/// What is durable of one lane's notifications.
struct LaneTally: Equatable, Sendable {
    /// For a word that the provider is not known to use: what comes over the wire must not make series.
    static let otherWord = "other"

    private(set) var outcomes = OutcomeTally()
    /// The provider's refusals by its own word; every word that is known, and ``otherWord``.
    private(set) var refusals: [String: Int]
    /// From request to answer.
    private(set) var answers = DurationHistogram()
    private(set) var deadTokens = DeadTokenSources()
    private(set) var putOff = PutOffAnswers()

    /// The answers: pushes that were taken, and those that were refused for good or for the moment.
    var answered: Int { outcomes[.accepted] + refusals.values.reduce(0, +) }

    /// - Parameter words: with which the provider refuses.
    init(words: [String]) {
        refusals = Dictionary(uniqueKeysWithValues: (words + [Self.otherWord]).map { ($0, 0) })
    }

    /// Notifications that have ended without a pass of their own.
    mutating func count(_ outcome: Outcome, _ number: Int) { outcomes.count(outcome, number) }

    mutating func count(_ outcome: ItemOutcome) {
        outcomes.count(outcome.outcome)
        deadTokens.count(outcome)
        if let latency = outcome.latency { answers.record(nanoseconds: latency) }
        guard let status = outcome.statusCode, status != 200 else { return }
        let word = outcome.reason.flatMap { refusals[$0] == nil ? nil : $0 } ?? Self.otherWord
        refusals[word, default: 0] += 1
        putOff.count(status: status, word: word == Self.otherWord ? nil : word)
    }
}
