import Glibc
import WaybillSettings
import WaybillTelemetry

/// Standard error, where commands talk.
struct Terminal {
    let isTerminal: Bool
    let palette: Palette

    static let standardError = Terminal(
        isTerminal: LineDestination.standardError.isTerminal,
        palette: Palette(isColoured: LineDestination.standardError.takesColour)
    )

    /// Says a line to the person.
    static func say(_ line: String) {
        LineDestination.standardError.writeLine(line)
    }

    /// Whether there is a person to ask.
    static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && standardError.isTerminal }

    /// Asks a question; anything but `y` and `yes` is a no.
    static func confirms(_ question: String) -> Bool {
        say("\(question) [y/N]")
        let answer = readLine()?.lowercased()
        return answer == "y" || answer == "yes"
    }

    /// A finding as a line, its first word coloured.
    func line(for finding: Finding) -> String {
        palette.line(for: finding)
    }
}

extension Palette {
    /// A finding as a line, its first word coloured.
    func line(for finding: Finding) -> String {
        let word = finding.severity.rawValue
        let coloured =
            switch finding.severity {
            case .ok: outcome("accepted", text: word)
            case .warning: outcome("unknown", text: word)
            case .error: outcome("rejected", text: word)
            }
        return "\(coloured) \(Cell.printable(finding.place)): \(Cell.printable(finding.sentence))"
    }
}
