import ArgumentParser
import WaybillFleet
import WaybillMongo
import WaybillOperations
import WaybillSettings
import WaybillThreads

/// `waybill top`: the status, again and again.
struct TopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Show the status again and again, until Ctrl-C.",
        discussion: """
            Examples:
              waybill top
              waybill top --interval 10

            The screen of waybill status, renewed every other second. Processes tell of themselves every two seconds.
            """ + ExitStatus.help(ExitStatus.ofServers)
    )

    @Option(help: ArgumentHelp("Seconds from one look to the next, 1 to 3600.", valueName: "seconds"))
    var interval = 2

    @OptionGroup var settings: ConfigurationOptions

    func validate() throws {
        guard (1...3600).contains(interval) else {
            throw ValidationError("The value '\(interval)' is invalid for '--interval <seconds>': use 1 to 3600.")
        }
    }

    /// What there is room for, in its order on the screen; the last line is left for the cursor.
    ///
    /// Each part is cut at its end: first the processes, then the servers. The rates, for which people look again and again, keep a
    /// third of the screen however much is wrong.
    static func fitting(_ parts: [StatusScreen.Part], _ height: Int?) -> [String] {
        let lines = parts.flatMap(\.lines)
        guard let height, lines.count >= height, height >= 3 else { return lines }
        var room = height - 2
        let rates = parts.first { $0.kind == .rates }?.lines.count ?? 0
        var kept = min(rates, room / 3)
        var shown = parts.map { _ in 0 }
        for place in parts.indices.sorted(by: { parts[$0].kind.rawValue < parts[$1].kind.rawValue }) {
            if parts[place].kind == .rates { kept = 0 }
            shown[place] = min(parts[place].lines.count, max(0, room - kept))
            room -= shown[place]
        }
        return zip(parts, shown).flatMap { $0.lines.prefix($1) }
            + ["… \(lines.count - shown.reduce(0, +)) lines more: in a taller window, or waybill status"]
    }

    func run() throws {
        let sections = try settings.load(for: .status)
        let broker = try ConfigurationOptions.present(sections.broker)
        let store = try ConfigurationOptions.present(sections.store)
        try reportingFailures(of: "top") {
            guard Screen.output.isTerminal else {
                throw ValidationError("'top' needs a terminal; waybill status is for files and scripts")
            }
            Interruption.install()
            let client = try store.pool(for: "top").pop()
            while !Interruption.isAsked {
                let state = InstallationState(
                    broker,
                    client,
                    database: store.database,
                    sections.topology(broker)
                )
                let screen = Screen.output
                let parts = StatusScreen(state: state, palette: screen.palette, width: screen.pageWidth).parts
                // Home, each line to its end, and what is left of the last screen.
                let page =
                    "\u{1B}[H" + Self.fitting(parts, screen.height).map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J"
                Output.text(page)
                try Output.flush()
                NamedThread.sleep(for: .seconds(interval)) { Interruption.isAsked }
            }
        }
    }
}
