import Logging
import Synchronization
import WaybillTelemetry

/// Keeps the names of the events that were logged, with their levels.
struct EventLines: LogHandler {
    private final class Kept: Sendable {
        let events = Mutex<[(name: String, level: Logger.Level)]>([])
    }

    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]
    private let kept = Kept()

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let name = event.metadata?[Logger.eventKey].map { "\($0)" } ?? ""
        kept.events.withLock { $0.append((name, event.level)) }
    }

    func count(_ name: String) -> Int { levels(name).count }

    func levels(_ name: String) -> [Logger.Level] {
        kept.events.withLock { events in events.filter { $0.name == name }.map(\.level) }
    }
}
