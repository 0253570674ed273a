package import WaybillMongo

/// What somebody has to do with invitations that nobody has answered, for whoever asks what is kept of them.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct OwnInvitations {
    private typealias Field = ServiceLayout.InvitationField

    /// More of those that went to one address are not read.
    private static let mostGot = 100

    private let collection: MongoCollection
    private let services: ServiceReader

    package init(client: MongoClient, database: String) {
        collection = client.collection(database: database, name: ServiceLayout.invitations)
        services = ServiceReader(client: client, database: database)
    }

    /// Those that an account has made, and that hold: to services to which it may invite still.
    ///
    /// - Parameters:
    ///   - account: its id.
    ///   - now: milliseconds since 1970.
    /// - Returns: the latest first.
    /// - Throws: what the store says.
    package func given(by account: String, now: Int64) throws(MongoError) -> [Invitation] {
        let inviting = try services.belonging(to: account)
            .filter { ServicePermission.of(.invite, role: $0.membership.role) == .granted }
        guard !inviting.isEmpty else { return [] }
        let filter = BSONDocument { writer in
            writer.append(Field.service) { $0.append(anyOf: inviting.map(\.service.id)) }
            writer.append(Field.createdBy, string: account)
            Invitations.requireOpen(writer, now: now)
        }
        return try find(filter, ServiceReader.most)
    }

    /// Those whose mail went to an address, and that hold.
    ///
    /// What a former version has made has the address as it was typed alone, and is looked at whosever it is: for a week, after which
    /// there is none.
    ///
    /// - Parameters:
    ///   - email: whoever asks reads there.
    ///   - now: milliseconds since 1970.
    /// - Returns: the latest first, with their services.
    /// - Throws: what the store says.
    package func got(
        at email: EmailAddress,
        now: Int64
    ) throws(MongoError) -> [(invitation: Invitation, service: ServiceDetails)] {
        let filter = BSONDocument { writer in
            Invitations.requireOpen(writer, now: now)
            writer.append(Field.email) { $0.append("$exists", bool: true) }
            writer.append(Field.emailKey) { key in
                key.append("$in") { keys in
                    keys.append(string: email.key)
                    keys.appendNull()
                }
            }
            // Capitals do not tell addresses apart.
            writer.append("$expr") { condition in
                condition.append(
                    "$eq",
                    array: { sides in
                        sides.append { $0.append("$toLower", string: "$\(Field.email)") }
                        sides.append(string: email.key)
                    }
                )
            }
        }
        let invitations = try find(filter, Self.mostGot)
        // Whoever may not invite any more has not invited anybody.
        let inviting = try services.granted(
            .invite,
            to: Set(invitations.map { ServiceAsker(account: $0.createdBy, service: $0.service) })
        )
        return invitations.compactMap { invitation in
            inviting[ServiceAsker(account: invitation.createdBy, service: invitation.service)]
                .map { (invitation, $0) }
        }
    }

    private func find(_ filter: BSONDocument, _ limit: Int) throws(MongoError) -> [Invitation] {
        try collection.find(filter, options: services.options(limit)).all().compactMap(Invitation.init)
            .sorted { ($1.createdAt, $1.id) < ($0.createdAt, $0.id) }
    }
}
