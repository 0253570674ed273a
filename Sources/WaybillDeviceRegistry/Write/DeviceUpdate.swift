import WaybillCore
import WaybillMongo

/// The changes that pruning makes to a document.
enum DeviceUpdate {
    private typealias Field = DeviceRegistry.Field

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

    /// For a device that was there a moment ago.
    ///
    /// One that somebody has deleted since comes back disabled: nobody has
    /// registered it.
    static func suspect(_ event: InvalidTokenEvent) -> BSONDocument {
        BSONDocument { writer in
            writer.append("$set") { fields in
                fields.append(Field.suspectedAt, date: event.observedAt)
                fields.append(Field.suspectedReason, string: event.reason)
            }
            writer.append("$setOnInsert") { fields in
                fields.append(Field.disabledAt, date: event.observedAt)
                fields.append(Field.disabledReason, string: event.reason)
                if let client = event.client { fields.append(Field.client, string: client) }
            }
        }
    }

    private static func appendClient(_ event: InvalidTokenEvent, to writer: BSONWriter) {
        guard let client = event.client else { return }
        writer.append("$setOnInsert") { $0.append(Field.client, string: client) }
    }
}
