import ArgumentParser
import WaybillDeviceRegistry
import WaybillFleet
import WaybillOperations
import WaybillSettings

/// `waybill prune release`.
struct PruneReleaseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release",
        abstract: "Carry out what a blown fuse holds: the push service is right.",
        discussion: """
            Examples:
              waybill prune release parcels --note "an old list, imported today"
              waybill prune release parcels --app com.example.parcels

            Every held event is carried out by the usual checks: a device that has registered again since stays. The fuse is armed \
            again at once, and for a day takes the share of dead tokens that you have called right for usual. A running \
            waybill prune follows within seconds; the command waits for ten and says how far it is. The decision stands either way, with who \
            made it and the note.
            """ + FuseDecisionOptions.exitStatus
    )

    @OptionGroup var decision: FuseDecisionOptions

    func run() throws { try decision.make(.released) }
}

/// `waybill prune discard`.
struct PruneDiscardCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard",
        abstract: "Forget what a blown fuse holds: the push service is wrong.",
        discussion: """
            Examples:
              waybill prune discard parcels --note "sandbox key in production"

            Remove the cause first. No device is disabled by what was said from the storm's beginning up to now, nor by what of that time \
            is still on its way. The fuse is armed again at once: if the cause is still there, it blows again. What was discarded can be \
            seen in the store for 30 days, in the collection token_events; a token that is really dead is found by the next push to it.
            """ + FuseDecisionOptions.exitStatus
    )

    @OptionGroup var decision: FuseDecisionOptions

    func run() throws { try decision.make(.discarded) }
}

/// Which fuse a decision is about, and whose it is.
struct FuseDecisionOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The lane's name.", valueName: "lane"))
    var lane: String

    @Option(help: ArgumentHelp("The app, where the lane has several with a blown fuse.", valueName: "app"))
    var app: String?

    @OptionGroup var order: OrderOptions

    @OptionGroup var settings: ConfigurationOptions

    /// The last paragraph of the help of each decision.
    static let exitStatus = ExitStatus.help(
        ExitStatus.ofServers + [.noInput],
        own: [.noInput: "no such fuse is blown", .temporary: "somebody else was faster"]
    )

    func make(_ state: Fuse.State) throws {
        try StoreCommand.run(settings, for: .fuse) { client, database in
            let control = FuseControl(client: client, database: database)
            let source = order.source
            let decision = FuseDecision(name: source.name, date: source.date, note: source.note)
            switch try control.decide(lane: lane, app: app, state, decision) {
            case .decided(let overview):
                // The decision stands, whether or not the store says how far it is followed.
                let rest = try? control.rest(of: overview.fuse.name)
                Terminal.say("waybill prune: \(Cell.printable(Self.text(overview, rest: rest)))")
            case .notBlown(let names):
                let others = names.isEmpty ? "none is" : "those of: \(Self.names(names))"
                throw CommandFailure(
                    .noInput,
                    Cell.printable("no fuse of lane \(lane)\(app.map { " and app \($0)" } ?? "") is blown; \(others)")
                )
            case .several(let names):
                throw CommandFailure(
                    .noInput,
                    Cell.printable("lane \(lane) has several blown fuses; say which with --app: \(Self.names(names))")
                )
            case .changed:
                throw CommandFailure(
                    .temporary,
                    "somebody else has decided about this fuse meanwhile; waybill prune status shows it"
                )
            }
        }
    }

    /// What became of a decision, and how far it is followed.
    static func text(_ overview: FuseOverview, rest: Int?) -> String {
        let name = overview.fuse.name
        let isRelease = overview.fuse.state == .released
        let word = isRelease ? "released" : "discarded"
        let done = "\(word) what was held of lane \(name.lane) for \(name.app): \(Counted.text(overview.held, "event"))"
        switch rest {
        case 0?: return done + (isRelease ? ", all carried out" : ", all dropped")
        case let rest?:
            return done
                + "; \(rest) still wait for a running waybill prune, which follows within seconds of its start; waybill prune status shows how many"
        case nil: return done
        }
    }

    private static func names(_ names: [FuseName]) -> String {
        names.map { "\($0.lane) (\($0.app))" }.joined(separator: ", ")
    }
}
