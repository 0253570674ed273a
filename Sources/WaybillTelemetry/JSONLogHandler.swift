package import Logging

/// Log lines for programs: one JSON object each, with `ts`, `level`, `event`, `message`, `logger` and the fields.
package struct JSONLogHandler: LogHandler {
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    private let label: String
    private let destination: LineDestination

    package init(label: String, level: Logger.Level, destination: LineDestination) {
        self.label = label
        logLevel = level
        self.destination = destination
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var fields = metadata
        if let provided = metadataProvider?.get() { fields.merge(provided) { $1 } }
        if let own = event.metadata { fields.merge(own) { $1 } }
        var line = "{\"ts\":\"\(Timestamp.now())\",\"level\":\"\(event.level.rawValue)\""
        if let name = fields.removeValue(forKey: Logger.eventKey) {
            line += ",\"event\":"
            JSONText.appendString("\(name)", to: &line)
        }
        line += ",\"message\":"
        JSONText.appendString("\(event.message)", to: &line)
        line += ",\"logger\":"
        JSONText.appendString(label, to: &line)
        if let error = event.error {
            line += ",\"error\":"
            JSONText.appendString("\(error)", to: &line)
        }
        for (key, value) in fields.sorted(by: { $0.key < $1.key }) {
            line += ","
            JSONText.appendString(key, to: &line)
            line += ":"
            append(value, to: &line)
        }
        destination.writeLine(line + "}")
    }

    private func append(_ value: Logger.MetadataValue, to line: inout String) {
        switch value {
        case .string(let text): JSONText.appendString(text, to: &line)
        case .stringConvertible(let number as Int): line += String(number)
        case .stringConvertible(let number as Double) where number.isFinite: line += String(number)
        case .stringConvertible(let flag as Bool): line += flag ? "true" : "false"
        case .stringConvertible(let other): JSONText.appendString("\(other)", to: &line)
        case .array(let values):
            line += "["
            for (position, element) in values.enumerated() {
                if position > 0 { line += "," }
                append(element, to: &line)
            }
            line += "]"
        case .dictionary(let entries):
            line += "{"
            for (position, entry) in entries.sorted(by: { $0.key < $1.key }).enumerated() {
                if position > 0 { line += "," }
                JSONText.appendString(entry.key, to: &line)
                line += ":"
                append(entry.value, to: &line)
            }
            line += "}"
        }
    }
}
