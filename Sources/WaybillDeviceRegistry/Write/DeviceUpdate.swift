import WaybillCore
import WaybillMongo

/// The changes that pruning makes to a document.
enum DeviceUpdate {
    private typealias Field = DeviceRegistry.Field

    static func disable(_ event: InvalidTokenEvent) -> BSONDocument {
        BSONDocument { writer in
            writer.append("$set") { fields in
                appendDisabled(event, to: fields)
                if let invalidSince = event.invalidSince { fields.append(Field.invalidSince, date: invalidSince) }
            }
            appendHistory(
                DeviceHistoryEvent(at: event.observedAt, kind: .disabled, reason: event.reason),
                to: writer
            )
            writer.append("$setOnInsert") { appendOrigin(event, to: $0) }
        }
    }

    /// For what a person, an app or an account's end says of a known device.
    static func disable(reason: String, at time: Int64) -> BSONDocument {
        BSONDocument { writer in
            writer.append("$set") { fields in
                fields.append(Field.enabled, bool: false)
                fields.append(Field.disabledAt, date: time)
                fields.append(Field.disabledReason, string: reason)
            }
            appendHistory(DeviceHistoryEvent(at: time, kind: .disabled, reason: reason), to: writer)
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
                appendDisabled(event, to: fields)
                appendOrigin(event, to: fields)
            }
        }
    }

    /// Undoes ``disable(_:)``.
    static func enableAgain(at now: Int64) -> BSONDocument {
        BSONDocument { writer in
            writer.append("$set") { $0.append(Field.enabled, bool: true) }
            writer.append("$unset") { fields in
                for field in [Field.disabledAt, Field.disabledReason, Field.invalidSince] {
                    fields.append(field, string: "")
                }
            }
            appendHistory(DeviceHistoryEvent(at: now, kind: .takenBack), to: writer)
        }
    }

    /// Undoes ``suspect(_:)``.
    static let trustAgain = BSONDocument { writer in
        writer.append("$unset") { fields in
            for field in [Field.suspectedAt, Field.suspectedReason] { fields.append(field, string: "") }
        }
    }

    /// The newest event at the end, and of all of them no more than the limit.
    static func appendHistory(_ event: DeviceHistoryEvent, to writer: BSONWriter) {
        writer.append("$push") { fields in
            fields.append(Field.history) { push in
                push.append("$each", array: { $0.append(document: event.document) })
                push.append("$slice", int: -DeviceLimits.history)
            }
        }
    }

    private static func appendDisabled(_ event: InvalidTokenEvent, to fields: BSONWriter) {
        fields.append(Field.enabled, bool: false)
        fields.append(Field.disabledAt, date: event.observedAt)
        fields.append(Field.disabledReason, string: event.reason)
    }

    private static func appendOrigin(_ event: InvalidTokenEvent, to fields: BSONWriter) {
        fields.append(Field.kind, string: DeviceTokenKind.token.rawValue)
        if let client = event.client { fields.append(Field.client, string: client) }
    }
}
