import ArgumentParser
import Logging
import Telemetry

/// How a service talks on standard error.
struct LoggingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "auto, json or text; auto is text on a terminal and JSON lines elsewhere.",
            valueName: "format"
        ),
        transform: { try choice($0, "--log-format") }
    )
    var logFormat = LogFormat.automatic

    @Option(
        help: ArgumentHelp("trace, debug, info, notice, warning, error or critical.", valueName: "level"),
        transform: { try choice($0, "--log-level") }
    )
    var logLevel = Logger.Level.info

    func makeLogger(label: String) -> Logger {
        logFormat.makeLogger(label: label, level: logLevel)
    }

    private static func choice<Choice: CaseIterable & RawRepresentable<String>>(_ text: String, _ option: String)
        throws -> Choice
    {
        guard let choice = Choice(rawValue: text) else {
            let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("The value '\(text)' is invalid for '\(option)': use \(words).")
        }
        return choice
    }
}
