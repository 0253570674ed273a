import WaybillEncoding
import WaybillMongo

/// What somebody calls a service: 1 to 64 characters that are seen as they are: none that break lines, turn the direction of
/// the text, or cannot be seen, but for the two that join and part letters and emoji.
package struct ServiceName: Hashable, Sendable {
    package static let lengths = 1...64

    package let text: String

    /// - Returns: `nil` for what is no name.
    package init?(_ text: String) {
        guard Self.lengths.contains(text.count), text.utf8.count <= Self.lengths.upperBound * 16,
            text.unicodeScalars.allSatisfy(Self.isAllowed), text.unicodeScalars.contains(where: Self.isSeen)
        else { return nil }
        self.text = text
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
        case .format: scalar == "\u{200C}" || scalar == "\u{200D}"
        default: true
        }
    }

    private static func isSeen(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint
            && properties.generalCategory != .nonspacingMark
    }
}

/// Something that tells people what happens: a server, a job, a sensor.
///
/// Times are milliseconds since 1970.
package struct ServiceDetails: Hashable, Sendable {
    /// A UUID in small letters.
    package let id: String
    package var name: String
    /// When its key was made: the key is derived from it.
    package var keyCreatedAt: Int64
    /// The accounts that owned it then, by their ids; `nil` where nobody knows.
    var keyHolders: Set<String>?
    package let createdAt: Int64
    /// Later at every change than before it.
    package var updatedAt: Int64
    /// When an operator suspended it: it may say nothing; `nil`: it is not.
    package var suspendedAt: Int64?
    /// `nil`: it has none.
    package var image: ServiceImageNote?

    private typealias Field = ServiceLayout.ServiceField

    /// A random id (RFC 9562, version 4).
    static func newID() -> String {
        var generator = SystemRandomNumberGenerator()
        let high = generator.next() & ~0xF000 | 0x4000
        let low = generator.next() & ~(0b11 << 62) | 0b10 << 62
        return UUIDText.text(high, low)
    }

    /// An id as somebody writes it, as the store has it; `nil` for what is no UUID.
    package static func id(_ text: String) -> String? {
        UUIDText.halves(ascii: text.utf8).map { UUIDText.text($0.high, $0.low) }
    }

    init(id: String, name: String, owner: String, now: Int64) {
        self.id = id
        self.name = name
        keyCreatedAt = now
        keyHolders = [owner]
        createdAt = now
        updatedAt = now
    }

    /// Reads a document; `nil` for one that is not whole, or was deleted.
    init?(_ document: BSONDocument) {
        guard document["\(Field.deletedAt)"] == nil, let id = document["\(Field.id)"]?.string,
            let name = document["\(Field.name)"]?.string,
            let keyCreatedAt = document["\(Field.keyCreatedAt)"]?.date,
            let createdAt = document["\(Field.createdAt)"]?.date,
            let updatedAt = document["\(Field.updatedAt)"]?.date
        else { return nil }
        self.id = id
        self.name = name
        self.keyCreatedAt = keyCreatedAt
        if let holders = document["\(Field.keyHolders)"]?.document, holders["\(Field.createdAt)"]?.date == keyCreatedAt
        {
            keyHolders = Set((holders["\(Field.accounts)"]?.elements ?? []).compactMap(\.string))
        }
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        suspendedAt = document["\(Field.suspendedAt)"]?.date
        image = document["\(Field.image)"]?.document.flatMap(ServiceImageNote.init)
    }

    /// The document of a new one.
    func document() -> BSONWriter {
        let writer = BSONWriter(capacity: 512)
        writer.append(Field.id, string: id)
        writer.append(Field.name, string: name)
        writer.append(Field.keyCreatedAt, date: keyCreatedAt)
        if let keyHolders { Self.append(holders: keyHolders, ofKeyMadeAt: keyCreatedAt, to: writer) }
        writer.append(Field.createdAt, date: createdAt)
        writer.append(Field.updatedAt, date: updatedAt)
        return writer
    }

    static func append(holders: Set<String>, ofKeyMadeAt time: Int64, to writer: BSONWriter) {
        writer.append(Field.keyHolders) { document in
            document.append(Field.createdAt, date: time)
            document.append(
                Field.accounts,
                array: { array in for account in holders.sorted() { array.append(string: account) } }
            )
        }
    }

    /// Whether all who know the key from its making own the service still.
    ///
    /// Who came to own it later and does not any more has ended the key before that.
    ///
    /// - Parameter members: who belongs to the service, read after it.
    /// - Returns: `true` also where nobody knows who these are.
    func isKeyTheirs(_ members: [Membership]) -> Bool {
        keyHolders?.isSubset(of: members.filter { $0.role == .owner }.map(\.account)) ?? true
    }
}

/// What somebody is to a service, and what they are told of it.
package struct Membership: Hashable, Sendable {
    package let service: String
    /// The account's id.
    package let account: String
    package var role: ServiceRole
    package var levels: NotificationLevels
    /// Until when nothing reaches them, in milliseconds since 1970; `nil`: it does.
    package var mutedUntil: Int64?
    /// Since when they belong to it; 0 where that is not known yet.
    package var joinedAt: Int64 = 0
    /// `nil`: it stays.
    var disowning: Disowning?

    /// That somebody ends an ownership at this moment, which another owner may stop yet.
    struct Disowning: Hashable {
        let id: String
        /// Since when, in milliseconds since 1970.
        let at: Int64
    }

    private typealias Field = ServiceLayout.MembershipField

    init(service: String, account: String, role: ServiceRole, levels: NotificationLevels) {
        self.service = service
        self.account = account
        self.role = role
        self.levels = levels
    }

    /// Reads a document; `nil` for one that is not whole, or has ended.
    init?(_ document: BSONDocument) {
        guard document["\(Field.expiresAt)"] == nil, let service = document["\(Field.service)"]?.string,
            let account = document["\(Field.account)"]?.string,
            let role = document["\(Field.role)"]?.string.flatMap(ServiceRole.init),
            let levels = document["\(Field.levels)"]?.int
        else { return nil }
        self.init(
            service: service,
            account: account,
            role: role,
            levels: NotificationLevels(rawValue: Int(truncatingIfNeeded: levels))
        )
        mutedUntil = document["\(Field.mutedUntil)"]?.date
        joinedAt = document["\(Field.joinedAt)"]?.date ?? 0
        if let document = document["\(Field.disowning)"]?.document, let id = document["\(Field.id)"]?.string,
            let at = document["\(Field.at)"]?.date
        {
            disowning = Disowning(id: id, at: at)
        }
    }

    func document(now: Int64) -> BSONWriter {
        let writer = BSONWriter(capacity: 256)
        writer.append(Field.service, string: service)
        writer.append(Field.account, string: account)
        writer.append(Field.role, string: role.rawValue)
        writer.append(Field.levels, int: levels.rawValue)
        writer.append(Field.joinedAt, date: now)
        return writer
    }
}
