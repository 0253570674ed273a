import ArgumentParser
import Logging
import WaybillSettings
import WaybillTelemetry

/// How a service talks on standard error.
struct LoggingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "auto, json or text; auto is text on a terminal and JSON lines elsewhere.",
            valueName: "format"
        ),
        transform: { try choice($0) }
    )
    var logFormat = LogFormat.automatic

    @Option(
        help: ArgumentHelp(
            "trace, debug, info, notice, warning, error or critical; by default what log.level says.",
            valueName: "level"
        ),
        transform: { try choice($0) }
    )
    var logLevel: Logger.Level?

    func makeLogger(label: String, _ settings: LogSettings) -> Logger {
        let level = logLevel ?? Logger.Level(rawValue: settings.level.rawValue) ?? .info
        return logFormat.makeLogger(label: label, level: level)
    }

    private static func choice<Choice: CaseIterable & RawRepresentable<String>>(_ text: String) throws -> Choice {
        guard let choice = Choice(rawValue: text) else {
            let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("use \(words)")
        }
        return choice
    }
}
