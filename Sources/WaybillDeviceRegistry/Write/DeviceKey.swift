import WaybillCore
import WaybillMongo

/// What names a device: its token, topic and environment.
enum DeviceKey {
    private typealias Field = DeviceRegistry.Field

    /// The document of the event's token, topic and environment.
    static func of(_ event: InvalidTokenEvent) -> BSONDocument {
        BSONDocument { append(event, to: $0) }
    }

    /// The key of a document that was read: the same bytes as the key of its events, whatever the order of its fields.
    ///
    /// Compared as bytes, for the store tells texts apart that are equal to Swift.
    ///
    /// - Returns: `nil` if a part of it is no string.
    static func of(_ document: BSONDocument) -> BSONDocument? {
        guard
            let deviceToken = document["\(Field.deviceToken)"]?.string,
            let topic = document["\(Field.topic)"]?.string,
            let environment = document["\(Field.environment)"]?.string
        else { return nil }
        return BSONDocument { append(deviceToken, topic, environment, to: $0) }
    }

    static func append(_ event: InvalidTokenEvent, to writer: BSONWriter) {
        append(event.deviceToken, event.topic, event.environment.rawValue, to: writer)
    }

    private static func append(
        _ deviceToken: String,
        _ topic: String,
        _ environment: String,
        to writer: BSONWriter
    ) {
        writer.append(Field.deviceToken, string: deviceToken)
        writer.append(Field.topic, string: topic)
        writer.append(Field.environment, string: environment)
    }
}
