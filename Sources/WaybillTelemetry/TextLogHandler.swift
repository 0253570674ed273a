package import Logging
import WaybillEncoding

/// Log lines for a person at a terminal: time of day, level, the event's name, sentence, fields.
package struct TextLogHandler: LogHandler {
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    private let usesColour: Bool
    private let destination: LineDestination

    package init(level: Logger.Level, usesColour: Bool, destination: LineDestination) {
        logLevel = level
        self.usesColour = usesColour
        self.destination = destination
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var fields = fields(of: event)
        let name = fields.removeValue(forKey: Logger.eventKey).map { "\(clean("\($0)")): " } ?? ""
        let time = Timestamp.now().dropFirst(11).prefix(8)
        var line = "\(time) \(tag(of: event.level)) \(name)\(event.message)"
        for (key, value) in fields.sorted(by: { $0.key < $1.key }) {
            line += dimmed(" \(key)=\(clean("\(value)"))")
        }
        if let error = event.error { line += dimmed(" error=\(clean("\(error)"))") }
        destination.writeLine(line)
    }

    /// Hidden characters would let a value move the cursor, start a line of its own, or look like another one.
    private func clean(_ whole: String) -> String {
        let text = LogText.cut(whole)
        guard text.unicodeScalars.contains(where: { $0 == " " || HiddenCharacters.contains($0) }) else { return text }
        var quoted: [UInt8] = []
        JSONText.appendLineSafeString(text, to: &quoted)
        return String(decoding: quoted, as: UTF8.self)
    }

    private func dimmed(_ text: String) -> String {
        usesColour ? "\u{1B}[2m\(text)\u{1B}[0m" : text
    }

    private func tag(of level: Logger.Level) -> String {
        let (text, colour) =
            switch level {
            case .trace, .debug: ("debug", "2")
            case .info, .notice: ("info ", "32")
            case .warning: ("warn ", "33")
            case .error, .critical: ("error", "31")
            }
        return usesColour ? "\u{1B}[\(colour)m\(text)\u{1B}[0m" : text
    }
}
