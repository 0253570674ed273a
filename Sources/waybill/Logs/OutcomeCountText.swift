import WaybillDeliveryLog

/// Counts by outcome, for people and for programs.
enum OutcomeCountText {
    /// One line for each outcome and one for the sum.
    static func table(_ counts: [OutcomeCount], palette: Palette) -> [String] {
        guard !counts.isEmpty else { return [] }
        let total = counts.reduce(0) { $0 + $1.count }
        let nameWidth = counts.reduce("total".count) { max($0, $1.outcome.count) }
        let numberWidth = "\(total)".count
        func line(_ name: String, _ count: Int) -> String {
            Cell.padded(name, to: nameWidth) + "  " + Cell.padded("\(count)", to: numberWidth, alignsRight: true)
        }
        let lines = counts.map { palette.outcome($0.outcome, text: line(Cell.printable($0.outcome), $0.count)) }
        return lines + [palette.bold(line("total", total))]
    }

    /// One JSON object to a line: `{"outcome":"accepted","count":7}`.
    static func json(_ counts: [OutcomeCount]) -> [String] {
        counts.map { DeliveryJSON.line($0) }
    }
}
