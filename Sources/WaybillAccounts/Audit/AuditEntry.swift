package import WaybillMongo
import WaybillTLS

/// That somebody asked by a device token, which is personal data, logged in or out, gave an order to lanes, batches, fuses or
/// rejected messages, changed a campaign, or who may do what with a service, or has deleted their account: of which somebody may
/// want to know who.
package struct AuditEntry: Hashable, Sendable {
    package enum Action: String, Sendable {
        case tokenLookUp = "token.look_up"
        case logIn = "session.log_in"
        case logOut = "session.log_out"
        case lanePause = "lane.pause"
        case laneDrain = "lane.drain"
        case laneResume = "lane.resume"
        case batchCancel = "batch.cancel"
        case batchLift = "batch.lift"
        case rejectedReplay = "rejected.replay"
        case rejectedDrop = "rejected.drop"
        case fuseRelease = "fuse.release"
        case fuseDiscard = "fuse.discard"
        /// What the same request asked for of a fuse was not done.
        case fuseRefused = "fuse.refused"
        case campaignCreate = "campaign.create"
        case campaignTest = "campaign.test"
        case campaignStart = "campaign.start"
        case campaignPause = "campaign.pause"
        case campaignResume = "campaign.resume"
        case campaignCancel = "campaign.cancel"
        case serviceKeyCreate = "service_key.create"
        case serviceKeyRotate = "service_key.rotate"
        case serviceKeyRevoke = "service_key.revoke"
        case webhookCreate = "service_webhook.create"
        case webhookRotate = "service_webhook.rotate"
        case webhookEnable = "service_webhook.enable"
        case webhookDisable = "service_webhook.disable"
        case webhookRemove = "service_webhook.remove"
        case memberChange = "member.change"
        case memberRemove = "member.remove"
        case memberLeave = "member.leave"
        case serviceTransfer = "service.transfer"
        case serviceDelete = "service.delete"
        case invitationCreate = "invitation.create"
        case invitationWithdraw = "invitation.withdraw"
        case invitationAccept = "invitation.accept"
        /// What is left of an account: its id, which says nothing of anybody.
        case accountDelete = "account.delete"
    }

    package let action: Action
    /// The key's public name; `nil`: a person did it.
    package let key: String?
    package let keyName: String?
    /// The id of the person's account; `nil`: a key did it.
    ///
    /// Neither a name nor an address of a person is in the audit, which stays.
    package let account: String?
    /// The id of the service that it is about; `nil`: it is about none.
    package let service: String?
    /// What somebody is to the service from then on; `nil` where that is not what changes.
    package let role: ServiceRole?
    /// SHA-256 of the token, in hexadecimal digits; `nil` where it is about none.
    package let tokenDigest: String?
    /// The name of what it is about; `nil` where it has none.
    package let subject: String?
    /// Method and route, without values.
    package let how: String
    package let request: String
    package let address: String?
    /// Milliseconds since 1970.
    package let at: Int64

    /// - Parameters:
    ///   - key: who asks.
    ///   - token: what for, as it is sent; only its digest is kept.
    ///   - how: method and route, without values.
    ///   - request: the request's id.
    ///   - address: where it came from.
    ///   - at: milliseconds since 1970.
    package init(
        lookUpBy key: AccessKey,
        token: some Collection<UInt8>,
        how: String,
        request: String,
        address: String?,
        at: Int64
    ) {
        action = .tokenLookUp
        self.key = key.id
        keyName = key.name
        (account, service, role) = (nil, nil, nil)
        tokenDigest = SHA256Hasher.digest(of: token).hexadecimal
        subject = nil
        self.how = how
        self.request = request
        self.address = address
        self.at = at
    }

    /// - Parameters:
    ///   - action: a log-in or log-out, an order, or what is done to a campaign.
    ///   - key: who does it.
    ///   - subject: the name of what it is done to.
    ///   - how: method and route.
    ///   - request: the request's id.
    ///   - address: where it came from.
    ///   - at: milliseconds since 1970.
    package init(
        _ action: Action,
        by key: AccessKey,
        subject: String? = nil,
        how: String,
        request: String,
        address: String?,
        at: Int64
    ) {
        self.action = action
        self.key = key.id
        keyName = key.name
        (account, service, role) = (nil, nil, nil)
        tokenDigest = nil
        self.subject = subject
        self.how = how
        self.request = request
        self.address = address
        self.at = at
    }

    /// - Parameters:
    ///   - action: what a person does with a service's keys or people, or with their own account.
    ///   - account: the person's id.
    ///   - service: the service's id; `nil`: it is about none.
    ///   - subject: the id of the key, the invitation or the other account; `nil`: the service itself.
    ///   - role: what somebody is to the service from then on.
    ///   - how: method and route.
    ///   - request: the request's id.
    ///   - at: milliseconds since 1970.
    package init(
        _ action: Action,
        byPerson account: String,
        in service: String? = nil,
        subject: String? = nil,
        role: ServiceRole? = nil,
        how: String,
        request: String,
        at: Int64
    ) {
        self.action = action
        (key, keyName, tokenDigest, address) = (nil, nil, nil, nil)
        self.account = account
        self.service = service
        self.subject = subject
        self.role = role
        self.how = how
        self.request = request
        self.at = at
    }
}

/// Writes the audit.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool.
package struct AuditWriter {
    private typealias Field = Accounts.AuditField

    private let collection: MongoCollection

    package init(client: MongoClient, database: String) {
        collection = client.collection(database: database, name: Accounts.audit)
    }

    /// Writes an entry: nothing may be answered before this returns.
    ///
    /// - Throws: when it is not known to be durable.
    package func write(_ entry: AuditEntry) throws(MongoError) {
        let id = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))
        try insert(entry, id: id).requireDurable("write to \(Accounts.audit)")
    }

    /// Writes an entry about what several may do one after the other: there is one of an action in a request.
    ///
    /// - Throws: when it is not known to be durable; the same again is safe.
    package func writeOnce(_ entry: AuditEntry) throws(MongoError) {
        let name = "\(entry.action.rawValue) \(entry.account ?? entry.key ?? "") \(entry.request)"
        let words = SHA256Hasher.digest(of: name.utf8).words
        try insert(entry, id: (words.0, words.1)).requireDurableOrThere("write to \(Accounts.audit)")
    }

    private func insert(_ entry: AuditEntry, id: (UInt64, UInt64)) throws(MongoError) -> MongoBulkResult {
        let document = BSONWriter(capacity: 512)
        document.append(Field.id, uuid: id.0, id.1)
        document.append(Field.at, date: entry.at)
        document.append(Field.action, string: entry.action.rawValue)
        if let key = entry.key { document.append(Field.key, string: key) }
        if let name = entry.keyName { document.append(Field.keyName, string: name) }
        if let account = entry.account { document.append(Field.account, string: account) }
        if let service = entry.service { document.append(Field.service, string: service) }
        if let role = entry.role { document.append(Field.role, string: role.rawValue) }
        if let digest = entry.tokenDigest { document.append(Field.token, string: digest) }
        if let subject = entry.subject { document.append(Field.subject, string: subject) }
        document.append(Field.how, string: entry.how)
        document.append(Field.request, string: entry.request)
        if let address = entry.address { document.append(Field.address, string: address) }
        let bulk = collection.bulk()
        try bulk.insert(document)
        return bulk.execute()
    }
}
