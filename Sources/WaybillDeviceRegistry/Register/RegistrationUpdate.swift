import WaybillEncoding
import WaybillMongo

/// The changes that a registration makes to a document.
enum RegistrationUpdate {
    private typealias Field = DeviceRegistry.Field

    /// The document of a new token.
    static func document(_ entry: DeviceEntry) -> BSONWriter {
        let writer = BSONWriter()
        DeviceKey.appendFields(entry.address, to: writer)
        writer.append(Field.kind, string: entry.kind.rawValue)
        appendProfile(entry, to: writer)
        let life = entry.life
        life.append(to: writer)
        writer.append(Field.enabled, bool: life.isEnabled)
        let history = entry.restoration?.history ?? []
        guard !history.isEmpty else { return writer }
        writer.append(
            Field.history,
            array: { array in for event in history { array.append(document: event.document) } }
        )
        return writer
    }

    /// - Returns: the update of a known token.
    static func update(_ entry: DeviceEntry, _ outcome: RegistrationOutcome, _ life: DeviceLife) -> BSONDocument {
        BSONDocument { writer in
            writer.append("$set") { fields in
                appendProfile(entry, to: fields)
                switch outcome {
                case .again:
                    fields.append(Field.enabled, bool: true)
                    if let time = entry.registeredAt { fields.append(Field.registeredAt, date: time) }
                case .seen:
                    if let time = entry.registeredAt { fields.append(Field.seenAt, date: time) }
                case .updated:
                    guard life.lastWord == nil, let time = entry.registeredAt else { break }
                    fields.append(Field.registeredAt, date: time)
                case .registered, .recent, .older: break
                }
                // Says nothing new, but an update must not be empty.
                fields.append(Field.kind, string: entry.kind.rawValue)
            }
            guard outcome == .again, let time = entry.registeredAt else { return }
            writer.append("$unset") { fields in
                let ended = [
                    Field.seenAt, Field.disabledAt, Field.disabledReason, Field.invalidSince, Field.suspectedAt,
                    Field.suspectedReason,
                ]
                for field in ended { fields.append(field, string: "") }
            }
            let reason = life.isEnabled ? life.suspectedReason : life.disabledReason
            DeviceUpdate.appendHistory(DeviceHistoryEvent(at: time, kind: .registeredAgain, reason: reason), to: writer)
        }
    }

    /// Ends pushing to a token whose device has another one.
    static func replacement(by successor: DeviceAddress, at time: Int64) -> BSONDocument {
        BSONDocument { writer in
            writer.append("$set") { fields in
                fields.append(Field.enabled, bool: false)
                fields.append(Field.disabledAt, date: time)
                fields.append(Field.disabledReason, string: DeviceRegistrar.replaced)
            }
            let event = DeviceHistoryEvent(at: time, kind: .replacedBy, successor: successor.tail)
            DeviceUpdate.appendHistory(event, to: writer)
        }
    }

    /// Whether an entry says anything of the device that a document does not.
    static func changes(_ entry: DeviceEntry, _ document: BSONDocument) -> Bool {
        let texts = profile(entry).contains { field, text in
            text != nil && !(document["\(field)"]?.string).isExactly(text)
        }
        let tags = document["\(Field.tags)"]?.elements?.compactMap(\.string) ?? []
        let kind = document["\(Field.kind)"]?.string
        let areTagsNew = entry.tags.map { !$0.elementsEqual(tags) { $0.isExactly($1) } } ?? false
        return texts || areTagsNew || kind.map { $0 != entry.kind.rawValue } ?? false
    }

    /// Whether an entry says a token under another id than its document.
    static func moves(_ entry: DeviceEntry, _ document: BSONDocument) -> Bool {
        guard let device = entry.device else { return false }
        return !(document["\(Field.device)"]?.string).isExactly(device)
    }

    /// Makes a token's document what it was before a registration.
    ///
    /// - Parameters:
    ///   - document: as it was.
    ///   - withDevice: false where the id stays under which it is.
    /// - Returns: the update.
    static func restoration(of document: BSONDocument, withDevice: Bool = true) -> BSONDocument {
        let device: [StaticString] = withDevice ? [Field.device] : []
        let fields: [StaticString] = [
            Field.user, Field.locale, Field.timeZone, Field.appVersion, Field.client, Field.tags,
            Field.kind, Field.registeredAt, Field.seenAt, Field.enabled, Field.disabledAt, Field.disabledReason,
            Field.invalidSince, Field.suspectedAt, Field.suspectedReason, Field.history,
        ]
        let former = (device + fields).map { field in (field, document.identifier("\(field)")) }
        return BSONDocument { writer in
            writer.append("$set") { set in
                for (field, value) in former { if let value { set.append(field, identifier: value) } }
            }
            let absent = former.filter { $0.1 == nil }.map(\.0)
            guard !absent.isEmpty else { return }
            writer.append("$unset") { unset in for field in absent { unset.append(field, string: "") } }
        }
    }

    /// Says a token under the id under which it was before a registration.
    static func relocation(to document: BSONDocument) -> BSONDocument {
        BSONDocument { writer in
            if let former = document.identifier("\(Field.device)") {
                writer.append("$set") { $0.append(Field.device, identifier: former) }
            } else {
                writer.append("$unset") { $0.append(Field.device, string: "") }
            }
        }
    }

    private static func profile(_ entry: DeviceEntry) -> [(StaticString, String?)] {
        [
            (Field.device, entry.device), (Field.user, entry.user), (Field.locale, entry.locale),
            (Field.timeZone, entry.timeZone), (Field.appVersion, entry.appVersion), (Field.client, entry.client),
        ]
    }

    private static func appendProfile(_ entry: DeviceEntry, to writer: BSONWriter) {
        for (field, text) in profile(entry) { if let text { writer.append(field, string: text) } }
        guard let tags = entry.tags else { return }
        writer.append(Field.tags, array: { array in for tag in tags { array.append(string: tag) } })
    }
}
