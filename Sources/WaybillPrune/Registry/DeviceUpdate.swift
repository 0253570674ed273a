import WaybillCore
import WaybillMongo

/// The writes that carry a ``PruneDecision`` out.
///
/// Each holds its conditions in its filter, so that a registration that comes in at the same moment is never overwritten.
/// Where the document does not meet them, the upsert meets the unique index and fails as a duplicate key: the sign that
/// somebody must look at the document.
enum DeviceUpdate {
    private typealias Field = DeviceRegistry.Field

    /// The document of the event's token, topic and environment.
    static func key(_ event: InvalidTokenEvent) -> BSONDocument {
        BSONDocument { appendKey(event, to: $0) }
    }

    /// The key of a document that was read: the same bytes as the key of its events, whatever the order of its fields.
    ///
    /// Compared as bytes, for the store tells texts apart that are equal to Swift.
    ///
    /// - Returns: `nil` if a part of it is no string.
    static func key(of document: BSONDocument) -> BSONDocument? {
        guard
            let deviceToken = document["\(Field.deviceToken)"]?.string,
            let topic = document["\(Field.topic)"]?.string,
            let environment = document["\(Field.environment)"]?.string
        else { return nil }
        return BSONDocument { appendKey(deviceToken, topic, environment, to: $0) }
    }

    /// Meets a document that is not disabled and was not registered after `invalid_since`; without that date, only one
    /// without a registration date.
    static func disableFilter(_ event: InvalidTokenEvent) -> BSONDocument {
        BSONDocument { writer in
            appendKey(event, to: writer)
            appendNoDate(Field.disabledAt, to: writer)
            appendRegistered(noLaterThan: event.invalidSince, to: writer)
        }
    }

    static func disable(_ event: InvalidTokenEvent) -> BSONDocument {
        BSONDocument { writer in
            writer.append("$set") { fields in
                fields.append(Field.disabledAt, date: event.observedAt)
                fields.append(Field.disabledReason, string: event.reason)
                if let invalidSince = event.invalidSince { fields.append(Field.invalidSince, date: invalidSince) }
            }
            appendClient(event, to: writer)
        }
    }

    /// Meets a document that is neither disabled nor suspected and was not registered after the event.
    static func suspectFilter(_ event: InvalidTokenEvent) -> BSONDocument {
        BSONDocument { writer in
            appendKey(event, to: writer)
            appendNoDate(Field.disabledAt, to: writer)
            appendNoDate(Field.suspectedAt, to: writer)
            appendRegistered(noLaterThan: event.observedAt, to: writer)
        }
    }

    static func suspect(_ event: InvalidTokenEvent) -> BSONDocument {
        BSONDocument { writer in
            writer.append("$set") { fields in
                fields.append(Field.suspectedAt, date: event.observedAt)
                fields.append(Field.suspectedReason, string: event.reason)
            }
            appendClient(event, to: writer)
        }
    }

    /// Reads what ``PruneDecision`` needs, by the same rules as the filters: only a date is a date, null is absent.
    static func registration(_ document: BSONDocument) -> DeviceRegistration {
        let registeredAt: Int64? =
            switch document["\(Field.registeredAt)"] {
            case nil, .null: nil
            case .date(let date): date
            default: .max
            }
        return DeviceRegistration(
            registeredAt: registeredAt,
            disabledAt: document["\(Field.disabledAt)"]?.date,
            suspectedAt: document["\(Field.suspectedAt)"]?.date
        )
    }

    private static func appendKey(_ event: InvalidTokenEvent, to writer: BSONWriter) {
        appendKey(event.deviceToken, event.topic, event.environment.rawValue, to: writer)
    }

    private static func appendKey(
        _ deviceToken: String,
        _ topic: String,
        _ environment: String,
        to writer: BSONWriter
    ) {
        writer.append(Field.deviceToken, string: deviceToken)
        writer.append(Field.topic, string: topic)
        writer.append(Field.environment, string: environment)
    }

    private static func appendClient(_ event: InvalidTokenEvent, to writer: BSONWriter) {
        guard let client = event.client else { return }
        writer.append("$setOnInsert") { $0.append(Field.client, string: client) }
    }

    /// An upsert copies plain equalities into the new document, which a null would be; a negated type is none.
    private static func appendNoDate(_ field: StaticString, to writer: BSONWriter) {
        writer.append(field) { $0.append("$not") { $0.append("$type", string: "date") } }
    }

    private static func appendRegistered(noLaterThan limit: Int64?, to writer: BSONWriter) {
        writer.append(
            "$or",
            array: { alternatives in
                alternatives.append { $0.append(Field.registeredAt) { $0.append("$exists", bool: false) } }
                alternatives.append { $0.append(Field.registeredAt) { $0.append("$type", string: "null") } }
                guard let limit else { return }
                alternatives.append { $0.append(Field.registeredAt) { $0.append("$lte", date: limit) } }
            }
        )
    }
}
