import ArgumentParser
import WaybillCore
import WaybillDispatcher
import WaybillProviders
import WaybillPrune
import WaybillSettings

/// The pruning worker as a role of a process.
struct PruneRole: ReloadedRole {
    static let role = AdminSettings.Role.prune
    static let needs = ConfigurationRole.prune

    /// Whom to believe about a token.
    enum Trust: String, ExpressibleByArgument, CaseIterable {
        case log
        case events
    }

    let settings: ConfigurationOptions
    let logging: LoggingOptions
    var trust = Trust.log

    func prepared(_ sections: ConfigurationSections) throws -> PreparedWorker<PruneService> {
        let broker = try ConfigurationOptions.present(sections.broker)
        let store = try ConfigurationOptions.present(sections.store)
        let logger = logging.makeLogger(label: "waybill.prune", sections.log)
        return PreparedWorker(
            worker: try PruneService(
                broker: broker,
                store: store,
                trust: trust(store, sections.lanes),
                fuse: sections.prune,
                lanes: sections.lanes.map(\.lane),
                logger: logger
            ),
            logger: logger
        )
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
