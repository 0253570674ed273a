import WaybillEncoding
import WaybillMongo

extension AccessKey {
    private typealias Field = Accounts.KeyField

    /// Reads a document; `nil` for one of another kind, or of which it is not clear what it allows.
    init?(_ document: BSONDocument) {
        func text(_ field: StaticString) -> String? { document["\(field)"]?.string }
        func date(_ field: StaticString) -> Int64? { document["\(field)"]?.date }
        guard text(Field.kind) == Accounts.operatorKind, let id = text(Field.id),
            let mode = text(Field.mode).flatMap(KeySecret.Mode.init), let role = text(Field.role).flatMap(Role.init),
            let lastFour = text(Field.lastFour), let name = text(Field.name), let createdBy = text(Field.createdBy),
            let createdAt = date(Field.createdAt), let clients = Self.clients(document)
        else { return nil }
        self.init(
            id: id,
            mode: mode,
            lastFour: lastFour,
            name: name,
            role: role,
            clients: clients,
            createdBy: createdBy,
            createdAt: createdAt,
            expiresAt: date(Field.expiresAt),
            lastUsedAt: date(Field.lastUsedAt),
            replacedBy: text(Field.replacedBy),
            revokedAt: date(Field.revokedAt)
        )
    }

    /// The document for the store.
    func document(digest: SecretDigest) -> BSONWriter {
        let writer = BSONWriter(capacity: 512)
        writer.append(Field.id, string: id)
        writer.append(Field.digest, string: digest.hexadecimal)
        writer.append(Field.kind, string: Accounts.operatorKind)
        writer.append(Field.mode, string: mode.rawValue)
        writer.append(Field.lastFour, string: lastFour)
        writer.append(Field.name, string: name)
        writer.append(Field.role, string: role.rawValue)
        switch clients {
        case .all: writer.append(Field.allClients, bool: true)
        case .only(let names):
            writer.append(
                Field.clients,
                array: { array in for name in names.sortedTexts { array.append(string: name) } }
            )
        }
        writer.append(Field.createdBy, string: createdBy)
        writer.append(Field.createdAt, date: createdAt)
        if let expiresAt { writer.append(Field.expiresAt, date: expiresAt) }
        return writer
    }

    /// Nothing said is nothing allowed.
    private static func clients(_ document: BSONDocument) -> ClientScope? {
        if document["\(Field.allClients)"]?.bool == true { return .all }
        guard let names = document["\(Field.clients)"]?.elements?.compactMap(\.string) else { return nil }
        return .only(Set(exactly: names))
    }
}
