import WaybillProviders
import WaybillTelemetry

/// A lane most of whose pushes go to dead or wrong tokens, in words.
struct DeadTokenStorm {
    /// So many per cent of one kind are as good as all.
    private static let most = 80
    private static let mostNamed = 3

    private let lane: String
    private let provider: ProviderName
    private let recent: DeadTokenShare.Recent
    /// How long it is over; zero while it goes on.
    private let age: Duration

    init(lane: String, provider: ProviderName, _ recent: DeadTokenShare.Recent, age: Duration = .zero) {
        self.lane = lane
        self.provider = provider
        self.recent = recent
        self.age = age
    }

    /// What goes wrong, whose it is, and what to do about it.
    var trouble: Trouble {
        let seconds = Int(age / .seconds(1))
        let pushes = seconds > 0 ? "\(recent.ended) pushes" : "the last \(recent.ended) pushes"
        let when = seconds > 0 ? " \(seconds) s ago" : ""
        let text = "lane \(lane): \(recent.dead) of \(pushes) went to dead or wrong tokens\(when)"
        return Trouble(.deadTokens, text + from, lane: lane, advice: advice)
    }

    /// As `, 350 of client acme for com.example.calls (Unregistered)`.
    private var from: String {
        recent.sources.prefix(Self.mostNamed).map { source, count in
            let client = source.client.map { "client \($0)" } ?? "no client"
            let topic = source.topic.map { " for \($0)" } ?? ""
            return ", \(count) of \(client)\(topic)" + (source.reason.map { " (\($0))" } ?? "")
        }.joined()
    }

    private var advice: String {
        guard let first = recent.sources.first, first.count * 100 >= recent.dead * Self.most else {
            return
                "They come from several sources: waybill stats --since 15m --outcome token_invalid --by client (or --by reason) "
                + "tells how many of each."
        }
        let client = first.source.client.map { "client \($0)" } ?? "whoever sends without a client"
        let cause = first.source.reason.flatMap { provider.advice(reason: $0) }
        let sentence = cause.map { "\($0.prefix(1).uppercased())\($0.dropFirst()). " } ?? ""
        return sentence
            + "Tell \(client) to compare its list with the registry (waybill devices), where prune disables dead tokens."
    }
}
