import WaybillCore

/// Whom dead and wrong tokens come from, and what the provider says of them.
struct DeadTokenSource: Hashable, Sendable {
    let client: String?
    let topic: String?
    /// The provider's word.
    let reason: String?
}

/// How many dead or wrong tokens came from where, since the start.
struct DeadTokenSources: Equatable, Sendable {
    /// What comes from sources beyond is left out: a topic is whatever a producer writes.
    static let most = 200

    private(set) var counts: [DeadTokenSource: Int] = [:]

    /// Nothing is done for an outcome that is not about its token.
    mutating func count(_ outcome: ItemOutcome) {
        guard outcome.outcome == .tokenInvalid else { return }
        let batch = outcome.message.batch
        var topic: String?
        if case .valid(let notification) = batch.items[outcome.position].content { topic = notification.topic }
        count(DeadTokenSource(client: batch.client, topic: topic, reason: outcome.reason))
    }

    mutating func count(_ source: DeadTokenSource) {
        guard counts.count < Self.most || counts[source] != nil else { return }
        counts[source, default: 0] += 1
    }

    /// What has come since an earlier moment, the most first.
    func since(_ earlier: DeadTokenSources) -> [(source: DeadTokenSource, count: Int)] {
        counts.map { ($0.key, $0.value - (earlier.counts[$0.key] ?? 0)) }.filter { $0.1 > 0 }
            .sorted { ($1.1, Self.name($0.0)) < ($0.1, Self.name($1.0)) }
    }

    private static func name(_ source: DeadTokenSource) -> String {
        "\(source.client ?? "")/\(source.topic ?? "")/\(source.reason ?? "")"
    }
}
