package import WaybillMongo

/// The images of services.
///
/// A service's document says which image it has, and the bytes stand in a document of their own. That is there first, with an end
/// that is taken away when the service names it, so that nothing is left of what was broken off in between.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct ServiceImages {
    private typealias Layout = ServiceLayout
    private typealias Field = ServiceLayout.ImageField

    /// How long bytes stay that no service names, in milliseconds.
    private static let unnamedTime: Int64 = 3_600_000

    private let images: MongoCollection
    private let updates: ServiceUpdates
    private var reader: ServiceReader { updates.reader }

    package init(client: MongoClient, database: String) {
        images = client.collection(database: database, name: Layout.images)
        updates = ServiceUpdates(client: client, database: database)
    }

    /// Gives a service the image that a file has, if whoever asks may; the one before it is erased.
    ///
    /// - Parameters:
    ///   - file: as somebody has sent it.
    ///   - service: the service's id.
    ///   - account: the id of who asks.
    ///   - seen: what the service's `updatedAt` must be still; `nil`: whatever.
    ///   - now: milliseconds since 1970.
    /// - Returns: the service as it is then, and what they are to it.
    /// - Throws: ``ServiceImageProblem``; the same again is safe.
    package func set(
        file: [UInt8],
        of service: String,
        by account: String,
        seen: Int64? = nil,
        now: Int64
    ) throws(ServiceImageProblem) -> (service: ServiceDetails, membership: Membership) {
        try ServiceImageProblem.asking { () throws(ServiceProblem) in
            _ = try reader.authorise(account, .changeSettings, service)
        }
        let image: ServiceImage
        do throws(ImageFault) {
            image = try ServiceImage(file)
        } catch {
            throw .image(error)
        }
        return try ServiceImageProblem.asking { () throws(ServiceProblem) in
            try set(image, of: service, by: account, seen: seen, now: now)
        }
    }

    /// As above, with an image that was read.
    func set(
        _ image: ServiceImage,
        of service: String,
        by account: String,
        seen: Int64? = nil,
        now: Int64
    ) throws(ServiceProblem) -> (service: ServiceDetails, membership: Membership) {
        let membership = try reader.authorise(account, .changeSettings, service).membership
        let note = ServiceImageNote(image, id: "img_\(Base62.random(count: 16))")
        try ServiceProblem.asking { () throws(MongoError) in try insert(note, image.bytes, of: service, now: now) }
        let changed = try updates.update(service, by: account, .changeSettings, seen: seen, now: now) { set, _ in
            set.append(Layout.ServiceField.image) { note.append(to: $0) }
        }
        try ServiceProblem.asking { () throws(MongoError) in
            try keep(note.id)
            try eraseFormer(of: service, now: now)
        }
        return (changed, membership)
    }

    /// Takes a service's image away; it is erased when this returns.
    ///
    /// - Parameters: as above.
    /// - Throws: ``ServiceProblem``; the same again is safe, also where there is none.
    package func remove(
        from service: String,
        by account: String,
        seen: Int64? = nil,
        now: Int64
    ) throws(ServiceProblem) {
        _ = try updates.update(
            service,
            by: account,
            .changeSettings,
            removing: [Layout.ServiceField.image],
            seen: seen,
            now: now
        ) { _, _ in }
        try ServiceProblem.asking { () throws(MongoError) in try eraseFormer(of: service, now: now) }
    }

    /// The image of a service to which somebody belongs.
    ///
    /// - Returns: what it is, and its bytes; `nil` where it has none.
    /// - Throws: ``ServiceProblem``.
    package func image(
        of service: String,
        by account: String
    ) throws(ServiceProblem) -> (note: ServiceImageNote, bytes: [UInt8])? {
        guard let note = try reader.authorise(account, .read, service).service.image else { return nil }
        return try ServiceProblem.asking { () throws(MongoError) in try bytes(of: note).map { (note, $0) } }
    }

    /// The image that its address names: whoever has that may see it.
    ///
    /// - Parameters:
    ///   - name: as ``ServiceImageNote/name``.
    ///   - service: the service's id.
    /// - Returns: what it is, and its bytes; `nil` where the service has none of this name.
    /// - Throws: what the store says.
    package func image(
        named name: String,
        of service: String
    ) throws(MongoError) -> (note: ServiceImageNote, bytes: [UInt8])? {
        guard let note = try reader.service(service)?.image, note.name == name else { return nil }
        return try bytes(of: note).map { (note, $0) }
    }

    /// Erases all images of a service that was deleted.
    func eraseAll(of service: String, now: Int64) throws(MongoError) {
        try erase(BSONDocument { $0.append(Field.service, string: service) }, now: now)
    }

    // MARK: - Bytes

    private func bytes(of note: ServiceImageNote) throws(MongoError) -> [UInt8]? {
        let filter = BSONDocument { $0.append(Field.id, string: note.id) }
        guard case .binary(_, let bytes)? = try images.findOne(filter, options: reader.options(1))?["\(Field.data)"]
        else { return nil }
        return bytes
    }

    private func insert(
        _ note: ServiceImageNote,
        _ bytes: [UInt8],
        of service: String,
        now: Int64
    ) throws(MongoError) {
        let writer = BSONWriter(capacity: bytes.count + 256)
        writer.append(Field.id, string: note.id)
        writer.append(Field.service, string: service)
        writer.append(Field.data, binary: bytes)
        writer.append(Field.createdAt, date: now)
        writer.append(Field.expiresAt, date: now + Self.unnamedTime)
        let bulk = images.bulk()
        try bulk.insert(writer)
        try bulk.execute().requireDurable("write to \(Layout.images)")
    }

    private func keep(_ id: String) throws(MongoError) {
        try write(BSONDocument { $0.append(Field.id, string: id) }) { update in
            update.append("$unset") { $0.append(Field.expiresAt, int: 1) }
        }
    }

    /// Erases what the service has named once and names no more, also what somebody else has left there.
    ///
    /// What is found was named before the service is read, and is never named again: so whatever others do meanwhile, none of it is
    /// what they have named.
    private func eraseFormer(of service: String, now: Int64) throws(MongoError) {
        let named = BSONDocument { writer in
            writer.append(Field.service, string: service)
            writer.append(Field.expiresAt) { $0.append("$exists", bool: false) }
        }
        var options = reader.options(ServiceReader.most)
        options.projection = BSONDocument { $0.append(Field.id, int: 1) }
        let found = try images.find(named, options: options).all().compactMap { $0["\(Field.id)"]?.string }
        let current = try reader.service(service)?.image?.id
        let former = found.filter { $0 != current }
        guard !former.isEmpty else { return }
        try erase(BSONDocument { $0.append(Field.id) { $0.append(anyOf: former) } }, now: now)
    }

    /// The bytes go at once, and the document when the TTL index comes by.
    private func erase(_ filter: BSONDocument, now: Int64) throws(MongoError) {
        try write(filter) { update in
            update.append("$unset") { $0.append(Field.data, int: 1) }
            update.append("$set") { $0.append(Field.expiresAt, date: now) }
        }
    }

    private func write(_ filter: BSONDocument, _ update: (BSONWriter) -> Void) throws(MongoError) {
        let bulk = images.bulk()
        try bulk.updateMany(filter: filter, update: BSONDocument(update))
        try bulk.execute().requireDurable("write to \(Layout.images)")
    }
}

/// Why a service has no other image.
package enum ServiceImageProblem: Error, Hashable, Sendable {
    case service(ServiceProblem)
    /// The file is none for it.
    case image(ImageFault)

    fileprivate static func asking<Answer>(
        _ question: () throws(ServiceProblem) -> Answer
    ) throws(ServiceImageProblem) -> Answer {
        do throws(ServiceProblem) {
            return try question()
        } catch {
            throw .service(error)
        }
    }
}
