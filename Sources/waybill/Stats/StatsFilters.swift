import ArgumentParser
import WaybillCore
import WaybillDeliveryLog

/// The filters of `waybill stats`: those of `waybill logs`, as far as they are counted.
struct StatsFilters: ParsableArguments {
    @Option(help: ArgumentHelp("The client that the message named.", valueName: "name"), transform: LogFilters.word)
    var client: String?

    @Option(
        help: ArgumentHelp("The outcome; may be given several times.", valueName: "outcome"),
        transform: Self.outcome
    )
    var outcome: [Outcome] = []

    @Option(help: ArgumentHelp("The reason, as APNs spells it.", valueName: "word"), transform: LogFilters.word)
    var reason: String?

    @Option(help: ArgumentHelp("The lane that sent it.", valueName: "name"), transform: LogFilters.word)
    var lane: String?

    @Option(help: ArgumentHelp("The topic that it was sent with.", valueName: "topic"), transform: LogFilters.word)
    var topic: String?

    @Option(
        help: ArgumentHelp("The push type, such as alert or background.", valueName: "type"),
        transform: LogFilters.word
    )
    var pushType: String?

    @Option(
        help: ArgumentHelp("Not before: 90s, 15m, 2h, 3d, 1w, or a date; 24h by default.", valueName: "time"),
        transform: LogFilters.time
    )
    var since: Int64?

    @Option(help: ArgumentHelp("Before: the same forms.", valueName: "time"), transform: LogFilters.time)
    var until: Int64?

    func validate() throws {
        if let since, let until, since >= until {
            throw ValidationError("'--since' must be earlier than '--until'.")
        }
    }

    static func outcome(_ text: String) throws -> Outcome {
        let final = Outcome.allCases.filter(\.isFinal)
        guard let outcome = final.first(where: { $0.rawValue == text }) else {
            throw ValidationError("use one of \(final.map(\.rawValue).joined(separator: ", "))")
        }
        return outcome
    }

    func query(since: Int64, until: Int64, step: Int64, dimension: StatisticsQuery.Dimension?) -> StatisticsQuery {
        StatisticsQuery(
            since: since,
            until: until,
            step: step,
            dimension: dimension,
            client: client,
            lane: lane,
            topic: topic,
            pushType: pushType,
            reason: reason,
            outcomes: outcome
        )
    }
}
