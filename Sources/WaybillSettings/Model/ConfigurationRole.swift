/// A command's view of the configuration: which sections it cannot do without.
///
/// What else is written is examined all the same, but for the files with secrets that others work with.
package enum ConfigurationRole: String, CaseIterable, Sendable {
    case dispatch
    case prune
    case fanout
    case schedule
    case initialise = "init"
    case send
    case logs
    case devices
    case rejected
    case status
    case keys
    case accounts
    case serve
    case hooks
    /// Every role of a process at once.
    case run
    case lanes
    case cancel
    /// What `waybill prune status`, `release` and `discard` need.
    case fuse
    case audience
    case campaign
    case webhooks
    /// Every command.
    case all

    package enum Section: String, Sendable {
        case broker
        case store
        case retention
        case lanes
        case serve
        case mail
    }

    /// The sections that must be there.
    package var sections: Set<Section> {
        switch self {
        case .all, .dispatch, .fanout, .schedule: [.broker, .store, .retention, .lanes]
        case .prune, .initialise, .status, .audience: [.broker, .store]
        case .serve: [.broker, .store, .serve]
        case .run: [.broker, .store, .retention, .lanes, .serve]
        // Where webhooks are written, mail may be absent.
        case .hooks: [.store, .mail]
        case .campaign: [.store, .retention, .lanes]
        case .send: [.broker, .lanes]
        case .logs, .devices, .keys, .accounts, .lanes, .cancel, .fuse, .webhooks: [.store]
        case .rejected: [.broker]
        }
    }

    /// The command that has it.
    package var command: String { self == .fuse ? ConfigurationRole.prune.rawValue : rawValue }

    /// Whether the broker's HTTP API is asked, where there is one.
    package var asksManagement: Bool { self == .all || self == .status }

    /// Whether the keys of receipts are read: to make capabilities, or to check them.
    package var readsReceiptKeys: Bool { [.all, .dispatch, .serve, .run].contains(self) }

    package func needs(_ section: Section) -> Bool { sections.contains(section) }
}
