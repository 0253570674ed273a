import WaybillCore
import WaybillMongo

/// The documents that a write may change, by the conditions of ``RemovalRule``.
///
/// Held against the document by the server, so that a registration that comes in at the same moment is never overwritten.
/// Where the document does not meet them, the upsert meets the unique index and fails as a duplicate key: the sign that
/// somebody must look at the document.
enum DeviceFilter {
    private typealias Field = DeviceRegistry.Field

    /// Meets the document of an event's token if it is not disabled and meets a condition.
    static func of(_ event: InvalidTokenEvent, _ condition: RemovalRule.Condition) -> BSONDocument {
        BSONDocument { writer in
            DeviceKey.append(DeviceAddress(event), to: writer)
            writer.append(Field.enabled) { $0.append("$ne", bool: false) }
            if condition.isNews { appendNoDate(Field.suspectedAt, to: writer) }
            appendHeard(noLaterThan: condition.latestWord, to: writer)
        }
    }

    /// Meets the device that an event has disabled, if nothing has happened to it since.
    ///
    /// - Parameters:
    ///   - event: which.
    ///   - tombstone: such a document is none.
    /// - Returns: the filter.
    static func device(disabledBy event: InvalidTokenEvent, no tombstone: Tombstone.Events) -> BSONDocument {
        BSONDocument { writer in
            appendDisabled(by: event, to: writer)
            writer.append(Field.enabled, bool: false)
            Tombstone.appendNone(tombstone, to: writer)
        }
    }

    /// Meets the tombstone that an event has made, if nothing has happened to it since.
    static func tombstone(of event: InvalidTokenEvent, _ events: Tombstone.Events) -> BSONDocument {
        BSONDocument { writer in
            appendDisabled(by: event, to: writer)
            Tombstone.append(events, to: writer)
        }
    }

    /// Meets the document that an event has made a suspect.
    static func suspected(by event: InvalidTokenEvent) -> BSONDocument {
        BSONDocument { writer in
            DeviceKey.append(DeviceAddress(event), to: writer)
            writer.append(Field.suspectedAt, date: event.observedAt)
        }
    }

    private static func appendDisabled(by event: InvalidTokenEvent, to writer: BSONWriter) {
        DeviceKey.append(DeviceAddress(event), to: writer)
        writer.append(Field.disabledAt, date: event.observedAt)
        writer.append(Field.disabledReason, string: event.reason)
    }

    /// An upsert copies plain equalities into the new document, which a null would be; a negation is none.
    private static func appendNoDate(_ field: StaticString, to writer: BSONWriter) {
        writer.append(field) { $0.append("$not") { $0.append("$type", string: "date") } }
    }

    /// Neither registered nor seen later than that.
    private static func appendHeard(noLaterThan limit: Int64?, to writer: BSONWriter) {
        writer.append(
            "$and",
            array: { conditions in
                for field in [Field.registeredAt, Field.seenAt] {
                    conditions.append { append(field, noLaterThan: limit, to: $0) }
                }
            }
        )
    }

    private static func append(_ field: StaticString, noLaterThan limit: Int64?, to writer: BSONWriter) {
        writer.append(
            "$or",
            array: { alternatives in
                alternatives.append { $0.append(field) { $0.append("$exists", bool: false) } }
                alternatives.append { $0.append(field) { $0.append("$type", string: "null") } }
                guard let limit else { return }
                alternatives.append { $0.append(field) { $0.append("$lte", date: limit) } }
            }
        )
    }
}
