import ArgumentParser
import WaybillFleet
import WaybillOperations
import WaybillSettings

/// `waybill lanes pause`.
struct LanesPauseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Send nothing more over a lane; what waits for a stream is taken back."
    )

    @OptionGroup var order: LaneOrderOptions

    func run() throws { try order.give(.paused) }
}

/// `waybill lanes drain`.
struct LanesDrainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drain",
        abstract: "Take nothing more for a lane; what was taken is still sent."
    )

    @OptionGroup var order: LaneOrderOptions

    func run() throws { try order.give(.draining) }
}

/// `waybill lanes resume`.
struct LanesResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Send over a lane again."
    )

    @OptionGroup var order: LaneOrderOptions

    func run() throws { try order.give(.open) }
}

/// Which lane an order is for, and whose order it is.
struct LaneOrderOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The lane's name.", valueName: "lane"))
    var lane: String

    @OptionGroup var order: OrderOptions

    @OptionGroup var settings: ConfigurationOptions

    func give(_ state: LaneOrder.State) throws {
        try StoreCommand.run(settings, for: .lanes) { client, database in
            let order = LaneOrder(lane: lane, state: state, source: order.source)
            switch try LaneControl(client: client, database: database).give(order) {
            case .given: break
            case .unknown(let known):
                throw CommandFailure(
                    .noInput,
                    "no dispatcher has the lane \(Cell.printable(lane)); there are: "
                        + Cell.printable(known.joined(separator: ", "))
                )
            }
            Terminal.say("waybill lanes: \(Cell.printable(lane)) is \(Self.words(state)) from now on")
        }
    }

    private static func words(_ state: LaneOrder.State) -> String {
        switch state {
        case .open: "open"
        case .paused: "paused"
        case .draining: "drained"
        }
    }
}
