package import Logging
import WaybillEncoding

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
        var fields = fields(of: event)
        var json = JSONWriter(capacity: 512)
        json.beginObject()
        json.member("ts", Timestamp.now())
        json.member("level", event.level.rawValue)
        if let name = fields.removeValue(forKey: Logger.eventKey) { json.member("event", lineSafe: "\(name)") }
        json.member("message", lineSafe: "\(event.message)")
        json.member("logger", lineSafe: label)
        if let error = event.error { json.member("error", lineSafe: LogText.cut("\(error)")) }
        append(fields, to: &json)
        json.endObject()
        destination.writeLine(String(decoding: json.bytes, as: UTF8.self))
    }

    private func append(_ fields: Logger.Metadata, to json: inout JSONWriter) {
        for (key, value) in fields.sorted(by: { $0.key < $1.key }) {
            json.name(lineSafe: key)
            append(value, to: &json)
        }
    }

    private func append(_ value: Logger.MetadataValue, to json: inout JSONWriter) {
        switch value {
        case .string(let text): json.element(lineSafe: LogText.cut(text))
        case .stringConvertible(let number as Int): json.element(number)
        case .stringConvertible(let number as Double) where number.isFinite: json.element(number)
        case .stringConvertible(let flag as Bool): json.element(flag)
        case .stringConvertible(let other): json.element(lineSafe: LogText.cut("\(other)"))
        case .array(let values):
            json.beginArray()
            for element in values { append(element, to: &json) }
            json.endArray()
        case .dictionary(let entries):
            json.beginObject()
            append(entries, to: &json)
            json.endObject()
        }
    }
}
