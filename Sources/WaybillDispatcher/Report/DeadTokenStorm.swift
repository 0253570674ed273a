import WaybillEncoding
import WaybillProviders
import WaybillTelemetry

/// A lane most of whose pushes go to dead or wrong tokens, in words.
struct DeadTokenStorm {
    /// So many per cent of one kind are as good as all.
    private static let most = 80
    private static let mostNamed = 5

    private let lane: String
    private let provider: ProviderName
    private let recent: DeadTokenShare.Recent
    /// How long ago its last dead token was seen; zero while it goes on.
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
        let when = seconds > 0 ? " until \(seconds) s ago" : ""
        let text = "lane \(lane): \(recent.dead) of \(pushes) went to dead or wrong tokens\(when)"
        return Trouble(.deadTokens, text + from, lane: lane, advice: advice)
    }

    /// As `, 350 of client acme for com.example.calls (Unregistered), and 2 more`.
    private var from: String {
        let named = recent.sources.prefix(Self.mostNamed).map { source, count in
            let client = source.client.map { "client \($0)" } ?? "no client"
            let topic = source.topic.map { " for \($0)" } ?? ""
            return ", \(count) of \(client)\(topic)" + (source.reason.map { " (\($0))" } ?? "")
        }
        let others = recent.sources.count - named.count
        return named.joined() + (others > 0 ? ", and \(others) more" : "")
    }

    private var advice: String {
        let cause = cause
        let isLanes = cause?.reason.map(TokenStormWords.blameLane) ?? false
        return ((cause?.sentences ?? []) + (isLanes ? [] : [whom]) + [Self.fuse]).joined(separator: " ")
    }

    /// What it looks like, by the words of the push service, and what to do about the one that most answers have.
    private var cause: (sentences: [String], reason: String?)? {
        let counts = recent.sources.compactMap { source, count in source.reason.map { ($0, count) } }
        guard !counts.isEmpty else { return nil }
        let (words, reason) = TokenStormWords.text(Dictionary(counts, uniquingKeysWith: +).map { ($0, $1) })
        // What to do about one dead token is wrong where so many may be live.
        let remedy = reason.flatMap { TokenStormWords.callsTokensDead($0) ? nil : provider.advice(reason: $0) }
        let halves = [words, remedy].compactMap(\.self)
        return (halves.map { "\($0.prefix(1).uppercased())\($0.dropFirst())." }, reason)
    }

    /// Whom to tell, or how to find out.
    private var whom: String {
        let sources = Dictionary(grouping: recent.sources) { $0.source.client.map { ExactName($0) } }.mapValues {
            sources in
            sources.reduce(0) { $0 + $1.count }
        }
        guard let first = sources.max(by: { $0.value < $1.value }), first.value * 100 >= recent.dead * Self.most else {
            return
                "They come from several clients: waybill stats --since 15m --outcome token_invalid --by client "
                + "(or --by reason) tells how many of each."
        }
        let client = first.key.map { "client \($0)" } ?? "whoever sends without a client"
        return
            "Tell \(client) to compare its list with the registry (waybill devices), where prune disables dead tokens."
    }

    private static let fuse =
        "Where there are far more than usual, prune holds them until a person decides: waybill prune status."
}
