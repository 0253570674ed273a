import ArgumentParser
import WaybillFleet
import WaybillThreads

/// Who gives an order, and why.
struct OrderOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Why; whoever looks at it later sees it.", valueName: "text"))
    var note: String?

    func validate() throws {
        guard (note ?? "").utf8.count <= OrderSource.mostNoteBytes else {
            throw ValidationError(
                "The value for '--note <text>' is too long: use \(OrderSource.mostNoteBytes) bytes at most."
            )
        }
    }

    /// This user on this host, now.
    var source: OrderSource {
        OrderSource(name: StoreCommand.author, date: WallClock.milliseconds(), note: note)
    }
}
