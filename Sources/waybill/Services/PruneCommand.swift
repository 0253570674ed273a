import ArgumentParser
import WaybillCore
import WaybillDispatcher
import WaybillProviders
import WaybillPrune
import WaybillSettings

/// `waybill prune`: keeps the device registry free of dead tokens.
struct PruneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Disable dead device tokens in the registry.",
        discussion: """
            Examples:
              waybill prune --config waybill.yaml
              waybill devices --disabled --limit 20      what has been disabled

            Consumes the invalid-token events and disables the token in the collection devices: a dead one only if it was \
            registered no later than APNs says it died, a suspect one is marked and stays enabled. Nothing is ever erased. \
            Runs until SIGTERM or SIGINT; SIGHUP reads the configuration again.

            An event counts as far as the delivery log has the refusal that it names. Where the record is gone, the token is \
            marked and stays enabled; what contradicts the log is ignored. --trust events believes whoever may write to the \
            queue: for events of other systems, which have no record here.
            """
    )

    @Option(help: ArgumentHelp("log or events: whom to believe about a token.", valueName: "log|events"))
    var trust = Trust.log

    @OptionGroup var settings: ConfigurationOptions
    @OptionGroup(title: "Logging") var logging: LoggingOptions

    func run() async throws {
        let sections = try settings.load(for: .prune)
        try await reportingFailures(of: "prune") {
            let first = try prepared(sections)
            let frame = ServiceFrame(role: .prune, sections, logger: first.logger)
            let service = ReloadingService(first: first, view: frame.view) {
                try prepared(settings.reload(for: .prune))
            }
            try await frame.run(service)
        }
    }

    private func prepared(_ sections: ConfigurationSections) throws -> PreparedWorker<PruneService> {
        let broker = try ConfigurationOptions.present(sections.broker)
        let store = try ConfigurationOptions.present(sections.store)
        let logger = logging.makeLogger(label: "waybill.prune", sections.log)
        return PreparedWorker(
            worker: try PruneService(broker: broker, store: store, trust: trust(store, sections.lanes), logger: logger),
            logger: logger
        )
    }

    /// Whom to believe about a token.
    enum Trust: String, ExpressibleByArgument, CaseIterable {
        case log
        case events
    }

    private func trust(_ store: StoreSettings, _ lanes: [LaneSettings]) throws -> PruneTrust {
        guard trust == .log else { return .events }
        return .log(
            // Nothing is written with them.
            try store.makeLogOptions(retention: RetentionPolicy(default: .keep)),
            environments: Dictionary(lanes.map { ($0.name, $0.lane.environment) }) { first, _ in first }
        )
    }
}
