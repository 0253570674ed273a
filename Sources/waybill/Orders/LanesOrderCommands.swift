import ArgumentParser
import WaybillDeliveryLog
import WaybillFleet
import WaybillOperations
import WaybillProviders
import WaybillSettings

/// `waybill lanes pause`.
struct LanesPauseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Send nothing more over a lane; what waits for a stream is taken back.",
        discussion: """
            Examples:
              waybill lanes pause parcels --note "new certificate"
              waybill lanes pause parcels --ahead      before the first dispatcher with this lane starts

            Its messages wait in the delay queues and lose none of their attempts, until waybill lanes resume.
            """ + LaneOrderOptions.exitStatus
    )

    @OptionGroup var order: LaneOrderOptions

    func run() throws { try order.give(.paused) }
}

/// `waybill lanes drain`.
struct LanesDrainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drain",
        abstract: "Take nothing more for a lane; what was taken is still sent.",
        discussion: """
            Examples:
              waybill lanes drain parcels --note "moves to another key"

            Its messages wait in the delay queues and lose none of their attempts, until waybill lanes resume.
            """ + LaneOrderOptions.exitStatus
    )

    @OptionGroup var order: LaneOrderOptions

    func run() throws { try order.give(.draining) }
}

/// `waybill lanes resume`.
struct LanesResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Send over a lane again.",
        discussion: """
            Examples:
              waybill lanes resume parcels

            What waited for it comes back when its delay is over, within a quarter of an hour.
            """ + LaneOrderOptions.exitStatus
    )

    @OptionGroup var order: LaneOrderOptions

    func run() throws { try order.give(.open) }
}

/// Which lane an order is for, and whose order it is.
struct LaneOrderOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The lane's name.", valueName: "lane"))
    var lane: String

    @Flag(help: "Also for a lane that nobody has: a dispatcher that starts later follows.")
    var ahead = false

    @OptionGroup var order: OrderOptions

    @OptionGroup var settings: ConfigurationOptions

    /// The last paragraph of the help of each order.
    static let exitStatus = ExitStatus.help(ExitStatus.ofServers + [.noInput], own: [.noInput: "no such lane"])

    func give(_ state: LaneOrder.State) throws {
        let sections = try settings.load(for: .lanes)
        let configured = sections.lanes.map(\.name)
        try StoreCommand.run(try ConfigurationOptions.present(sections.store), for: .lanes) { client, database in
            let order = LaneOrder(lane: lane, state: state, source: order.source)
            let control = LaneControl(client: client, database: database)
            switch try control.give(order, configured: configured, ahead: ahead) {
            case .given: break
            case .unknown(let unknown):
                throw CommandFailure(
                    .noInput,
                    Cell.printable(unknown.words(for: lane))
                        + "; for a dispatcher that starts later with it, give the order with --ahead"
                )
            }
            // The order holds, whether or not the store says who follows.
            let lanes = try? control.lanes()
            let lane = try? control.confirmation(of: order)
            let known = lanes.map { $0.filter { !$0.places.isEmpty }.map(\.name) } ?? []
            let text =
                lane.map { Self.text($0, known: known) }
                ?? "\(Cell.printable(order.lane)) is \(Self.words(state)) from now on"
            Terminal.say("waybill lanes: \(text)")
            guard lane?.places.isEmpty == true, known.isEmpty else { return }
            let names = KnownNames(client: client, database: database, scope: .all)
            if let hint = names.hint(lane: TextFilter([order.lane])) {
                Terminal.say("waybill lanes: \(Cell.printable(hint))")
            }
        }
    }

    /// What became of an order.
    ///
    /// - Parameters:
    ///   - lane: with the order.
    ///   - known: the lanes that running dispatchers have.
    /// - Returns: a sentence without its end.
    static func text(_ lane: LaneOverview, known: [String] = []) -> String {
        let name = Cell.printable(lane.name)
        let word = words(lane.order?.state ?? .open)
        let (all, missing) = (lane.places.count, lane.unconfirmed)
        guard all > 0 else {
            guard !known.isEmpty else {
                return "\(name) is \(word) from now on; no dispatcher runs, and whoever starts with this lane follows"
            }
            return
                "\(name) is \(word) from now on, but no running dispatcher has this lane; they have: "
                + "\(Cell.printable(known.joined(separator: ", "))); whoever starts with it follows"
        }
        let share = "\(all - missing.count) of \(all) \(all == 1 ? "dispatcher follows" : "dispatchers follow")"
        guard !missing.isEmpty else {
            // Nobody's order keeps it; something else may.
            let held = lane.order?.state == .open ? lane.places.first { $0.state != word } : nil
            guard let held else { return "\(name) is \(word): \(share)" }
            let cause = held.cause.map { " (\(Cell.printable($0)))" } ?? ""
            return
                "no order holds \(name) any more: \(share); but it is \(Cell.printable(held.state))\(cause), and is tried by itself"
        }
        let names = Cell.printable(
            missing.map { $0.isSilent ? "\($0.process), which has said nothing lately" : $0.process }
                .joined(separator: ", ")
        )
        var text =
            "\(name) is ordered \(word): \(share), and not yet \(names); the order holds, and waybill lanes shows when it is followed"
        for place in missing where place.isSilent {
            guard let advice = place.advice else { continue }
            text +=
                "; \(Cell.printable("\(place.process): \(advice.hasSuffix(".") ? String(advice.dropLast()) : advice)"))"
        }
        if missing.contains(where: { !$0.isSilent }) {
            text += "; if that does not come, look in the log there for dispatch.ordersUnread"
        }
        return text
    }

    private static func words(_ state: LaneOrder.State) -> String {
        switch state {
        case .open: "open"
        case .paused: "paused"
        case .draining: "drained"
        }
    }
}
