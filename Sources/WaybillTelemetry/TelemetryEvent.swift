package import Logging

/// Something that happened, named once: the log line and its fields come from the same value.
///
/// A stage lists its events in one enum. Names are dotted and stable (operators alert on them); messages are constant
/// sentences; whatever varies goes into the fields. No field may hold a device token, a payload or a secret.
package protocol TelemetryEvent: Sendable {
    /// For example `dispatch.laneParked`.
    var name: String { get }
    var level: Logger.Level { get }
    /// A sentence for a person, without values.
    var message: Logger.Message { get }
    /// The values, keyed in snake case.
    var fields: Logger.Metadata { get }
}

extension Logger {
    /// The metadata key under which an event's name travels to the handlers.
    package static let eventKey = "event"

    /// Logs an event.
    package func emit(_ event: some TelemetryEvent) {
        guard logLevel <= event.level else { return }
        var fields = event.fields
        fields[Logger.eventKey] = "\(event.name)"
        log(level: event.level, event.message, metadata: fields)
    }
}
