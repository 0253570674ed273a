import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillMongo
import WaybillNotifications
import WaybillOutbox

/// What stays of a person's change to a service: a row of the audit where it changes who may do what; and who hears of it, by events
/// and by mail.
///
/// It is written when the change is durable, and before the answer.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool.
struct ServiceTrail {
    let door: FrontDoor
    let client: MongoClient
    /// The id of whoever changes something.
    let account: String
    /// Method and route.
    let how: String
    /// The request's id.
    let request: String
    /// Milliseconds since 1970.
    let now: Int64

    /// - Parameters:
    ///   - door: of people's routes.
    ///   - client: the store's.
    ///   - account: the id of whoever changes something.
    ///   - method: the request's.
    ///   - context: the request's.
    ///   - now: milliseconds since 1970.
    init(
        _ door: FrontDoor,
        _ client: MongoClient,
        _ account: String,
        _ method: HTTPRequest.Method,
        _ context: APIContext,
        now: Int64
    ) {
        self.door = door
        self.client = client
        self.account = account
        how = "\(method.rawValue) \(context.endpointPath ?? APIMetrics.noRoute)"
        request = context.requestID
        self.now = now
    }

    var events: ServiceEvents { ServiceEvents(client: client, database: door.database) }
    private var webhooks: ServiceWebhookEvents { ServiceWebhookEvents(client: client, database: door.database) }

    /// Notes who has changed what somebody may do.
    ///
    /// - Parameters:
    ///   - action: what was done.
    ///   - service: the service's id.
    ///   - subject: the id of the key, the invitation or the other account.
    ///   - role: what somebody is to the service from then on.
    /// - Throws: when it is not known to be durable.
    func audit(
        _ action: AuditEntry.Action,
        in service: String,
        subject: String? = nil,
        role: ServiceRole? = nil
    ) throws(MongoError) {
        try AuditWriter(client: client, database: door.database).write(
            AuditEntry(
                action,
                byPerson: account,
                in: service,
                subject: subject,
                role: role,
                how: how,
                request: request,
                at: now
            )
        )
    }

    /// Somebody belongs to a service by an invitation.
    func joined(_ membership: Membership) throws(MongoError) {
        let (service, role) = (membership.service, membership.role)
        try audit(.invitationAccept, in: service, subject: account, role: role)
        try events.changedMember(account, of: service, at: now)
        try webhooks.tell(.joined(account: account, role), of: service, at: now)
    }

    /// Somebody has another role.
    func changed(_ other: Membership) throws(MongoError) {
        try audit(.memberChange, in: other.service, subject: other.account, role: other.role)
        try events.changedMember(other.account, of: other.service, at: now)
        try webhooks.tell(.changed(account: other.account, other.role), of: other.service, at: now)
    }

    /// Somebody does not belong to a service any more; who did not go by themselves is told by mail.
    func removed(_ other: String, from service: String) throws(MongoError) {
        let isOwn = other == account
        try audit(isOwn ? .memberLeave : .memberRemove, in: service, subject: other)
        try events.changedMember(other, of: service, at: now)
        try webhooks.tell(.left(account: other), of: service, at: now)
        if !isOwn { try mail(other) { mail, person throws(MongoError) in try mail.removed(person, from: service) } }
    }

    /// A service has another owner; both are told by mail.
    ///
    /// - Parameters:
    ///   - service: its id.
    ///   - other: the account's id of who has got it.
    ///   - isManaged: whether who gave it is its manager by that.
    /// - Throws: when it is not known to be durable.
    func transferred(_ service: String, to other: String, isManaged: Bool) throws(MongoError) {
        try audit(.serviceTransfer, in: service, subject: other, role: .owner)
        for (one, role) in [(other, ServiceRole.owner)] + (isManaged ? [(account, .manager)] : []) {
            try events.changedMember(one, of: service, at: now)
            try webhooks.tell(.changed(account: one, role), of: service, at: now)
        }
        try mail(other) { mail, person throws(MongoError) in try mail.serviceReceived(person, service) }
        try mail(account) { mail, person throws(MongoError) in try mail.serviceGiven(person, service) }
    }

    /// A service has ended, and with it where its events went.
    ///
    /// - Parameters:
    ///   - service: its id.
    ///   - people: who belonged to it.
    /// - Throws: when it is not known to be durable.
    func deleted(_ service: String, telling people: [String]) throws(MongoError) {
        try WebhookEndpoints.removeAll(ofService: service, client: client, database: door.database, now: now)
        try audit(.serviceDelete, in: service)
        try events.changed(service, telling: people, at: now)
    }

    private func mail(
        _ id: String,
        _ write: (AccountMail, Account) throws(MongoError) -> Void
    ) throws(MongoError) {
        guard let person = try AccountReader(client: client, database: door.database).account(id: id),
            person.suspendedAt == nil
        else { return }
        try write(AccountMail(door: door, client: client, now: now), person)
    }
}
