import ArgumentParser
import WaybillCore
import WaybillDeliveryLog

/// The filters of `waybill stats`: those of `waybill logs`, as far as they are counted.
struct StatsFilters: ParsableArguments {
    @Option(help: ArgumentHelp("The client that the message named.", valueName: "name"), transform: LogFilters.term)
    var client: [String] = []

    @Option(
        help: ArgumentHelp(
            "The outcome; with ! in front all but that one, as in '!accepted'. May be given several times.",
            valueName: "outcome"
        ),
        transform: Self.outcome
    )
    var outcome: [OutcomeTerm] = []

    @Option(
        help: ArgumentHelp("The reason, as the push service spells it.", valueName: "word"),
        transform: LogFilters.term
    )
    var reason: [String] = []

    @Option(help: ArgumentHelp("The lane that sent it.", valueName: "name"), transform: LogFilters.term)
    var lane: [String] = []

    @Option(help: ArgumentHelp("The topic that it was sent with.", valueName: "topic"), transform: LogFilters.term)
    var topic: [String] = []

    @Option(
        help: ArgumentHelp("The push type, such as alert or background.", valueName: "type"),
        transform: LogFilters.term
    )
    var pushType: [String] = []

    @Option(
        help: ArgumentHelp(
            "Not before: 15m, 1h30m, 3d, 1w, a date, today or yesterday, in UTC; 24h by default.",
            valueName: "time"
        ),
        transform: LogFilters.time
    )
    var since: Int64?

    @Option(help: ArgumentHelp("Before: the same forms.", valueName: "time"), transform: LogFilters.time)
    var until: Int64?

    func validate() throws {
        if let since, let until, since >= until {
            throw ValidationError("'--since' must be earlier than '--until'.")
        }
        try LogFilters.refuse(logged.contradiction)
    }

    /// The same filters of records.
    var logged: DeliveryQuery {
        DeliveryQuery(
            client: LogFilters.filter(client),
            outcomes: outcome.filter { !$0.isExcluded }.map(\.outcome),
            excludedOutcomes: outcome.filter(\.isExcluded).map(\.outcome),
            reason: LogFilters.filter(reason),
            lane: LogFilters.filter(lane),
            topic: LogFilters.filter(topic),
            pushType: LogFilters.filter(pushType)
        )
    }

    static func outcome(_ text: String) throws -> OutcomeTerm {
        let term = try OutcomeTerm(text)
        guard term.outcome.isFinal else {
            let final = Outcome.allCases.filter(\.isFinal).map(\.rawValue)
            throw ValidationError("use one of \(final.joined(separator: ", "))")
        }
        return term
    }

    func query(since: Int64, until: Int64, step: Int64, dimension: StatisticsQuery.Dimension?) -> StatisticsQuery {
        let logged = logged
        return StatisticsQuery(
            since: since,
            until: until,
            step: step,
            dimension: dimension,
            client: logged.client,
            lane: logged.lane,
            topic: logged.topic,
            pushType: logged.pushType,
            reason: logged.reason,
            outcomes: logged.outcomes,
            excludedOutcomes: logged.excludedOutcomes
        )
    }
}
