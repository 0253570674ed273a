import WaybillMongo

/// What the store knows of a service's key that was shown once; never the key itself.
///
/// Times are milliseconds since 1970.
package struct ServiceKeyRecord: Hashable, Sendable {
    /// Its public name: `key_` and ten characters.
    package let id: String
    package let service: String
    package let kind: KeySecret.Mode
    package let lastFour: String
    /// What it is for, as people say it.
    package let name: String
    package let scopes: Set<ServiceKeyScope>
    /// The account's id.
    package let createdBy: String
    package let createdAt: Int64
    /// When it ends; `nil`: not by itself.
    package var endsAt: Int64?
    package var lastUsedAt: Int64?
    /// The network that it was used from then.
    package var lastUsedFrom: String?
    /// The key that it was rotated to.
    package var replacedBy: String?
    package var revokedAt: Int64?

    package func state(now: Int64) -> AccessKey.State {
        if let revokedAt, revokedAt <= now { return .revoked }
        if let endsAt, endsAt <= now { return .expired }
        return replacedBy == nil ? .live : .replaced
    }

    /// Whether its holder is let in.
    package func isGood(now: Int64) -> Bool {
        switch state(now: now) {
        case .live, .replaced: true
        case .expired, .revoked: false
        }
    }

    /// As its holder knows it: `wbk_live_…abcd`.
    package var shown: String { "\(KeySecret.prefix(kind))…\(lastFour)" }
}

extension ServiceKeyRecord {
    private typealias Field = ServiceLayout.KeyField

    /// Reads a document; `nil` for one of the other kind, or of which it is not clear what it allows.
    init?(_ document: BSONDocument) {
        func text(_ field: StaticString) -> String? { document["\(field)"]?.string }
        func date(_ field: StaticString) -> Int64? { document["\(field)"]?.date }
        guard let id = text(Field.id), let service = text(Field.service),
            let kind = text(Field.kind).flatMap(KeySecret.Mode.init), let lastFour = text(Field.lastFour),
            let name = text(Field.name), let createdBy = text(Field.createdBy), let createdAt = date(Field.createdAt),
            let scopes = document["\(Field.scopes)"]?.elements
        else { return nil }
        self.init(
            id: id,
            service: service,
            kind: kind,
            lastFour: lastFour,
            name: name,
            scopes: Set(scopes.compactMap { $0.string.flatMap(ServiceKeyScope.init) }),
            createdBy: createdBy,
            createdAt: createdAt,
            endsAt: date(Field.endsAt),
            lastUsedAt: date(Field.lastUsedAt),
            lastUsedFrom: text(Field.lastUsedFrom),
            replacedBy: text(Field.replacedBy),
            revokedAt: date(Field.revokedAt)
        )
    }

    /// The document of a new one.
    func document(_ digest: SecretDigest) -> BSONWriter {
        let writer = BSONWriter(capacity: 512)
        writer.append(Field.id, string: id)
        writer.append(Field.service, string: service)
        writer.append(Field.digest, string: digest.hexadecimal)
        writer.append(Field.kind, string: kind.rawValue)
        writer.append(Field.lastFour, string: lastFour)
        writer.append(Field.name, string: name)
        writer.append(
            Field.scopes,
            array: { array in for scope in scopes.map(\.rawValue).sorted() { array.append(string: scope) } }
        )
        writer.append(Field.createdBy, string: createdBy)
        writer.append(Field.createdAt, date: createdAt)
        if let endsAt {
            writer.append(Field.endsAt, date: endsAt)
            writer.append(Field.expiresAt, date: endsAt + ServiceStore.remains)
            if let notice = ServiceKeyNotice.next(endsAt: endsAt, after: createdAt) {
                writer.append(Field.noticeAt, date: notice)
            }
        }
        return writer
    }
}
