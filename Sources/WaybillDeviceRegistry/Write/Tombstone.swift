import WaybillMongo

/// The document of a token that nobody has registered, as pruning makes it.
///
/// It says where the token belongs, since when it is disabled and why. Whatever an app or a person has said of a token makes a
/// device of its document, and no tombstone.
enum Tombstone {
    private typealias Field = DeviceRegistry.Field
    private typealias TakenBackField = DeviceRegistry.TakenBackField

    /// How many events the history of a tombstone has.
    enum Events {
        /// It is of a device that was there a moment before, and that somebody has deleted: it was made a suspect.
        case none
        /// It may have been made disabled, which is its only event.
        case atMostOne

        /// The first event that is one too many.
        fileprivate var excess: StaticString {
            switch self {
            case .none: "history.0"
            case .atMostOne: "history.1"
            }
        }
    }

    /// Appends what a document has to be like; where it belongs is for the caller to say.
    static func append(_ events: Events, to filter: BSONWriter) {
        filter.append(Field.enabled, bool: false)
        filter.append(Field.kind, string: DeviceTokenKind.token.rawValue)
        let said = [
            Field.registeredAt, Field.seenAt, Field.device, Field.user, Field.tags, Field.locale, Field.timeZone,
            Field.appVersion, events.excess,
        ]
        for field in said { filter.append(field) { $0.append("$exists", bool: false) } }
    }

    /// Appends that a document must be none.
    static func appendNone(_ events: Events, to filter: BSONWriter) {
        filter.append("$nor", array: { $0.append { append(events, to: $0) } })
    }

    /// Takes a tombstone out of the registry, which erases nothing.
    ///
    /// Without its token it keeps what it said where no index and no question finds it.
    static func takeBack(at now: Int64) -> BSONDocument {
        let kept = [
            Field.provider, Field.app, Field.environment, Field.client, Field.disabledAt, Field.disabledReason,
            Field.invalidSince, Field.history,
        ]
        return BSONDocument { update in
            update.append("$set") { $0.append(TakenBackField.at, date: now) }
            update.append("$rename") { names in
                for field in kept { names.append(field, string: "\(TakenBackField.takenBack).\(field)") }
            }
            update.append("$unset") { fields in
                for field in [Field.token, Field.kind, Field.enabled, Field.suspectedAt, Field.suspectedReason] {
                    fields.append(field, string: "")
                }
            }
        }
    }
}
