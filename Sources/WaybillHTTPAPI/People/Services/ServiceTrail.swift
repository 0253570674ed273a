import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillMongo
import WaybillNotifications

/// What stays of a person's change to a service: a row of the audit where it changes who may do what; and who hears of it.
///
/// It is written when the change is durable, and before the answer.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool.
struct ServiceTrail {
    let door: FrontDoor
    let client: MongoClient
    /// The id of whoever changes something.
    let account: String
    let origin: RequestOrigin
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
        origin = RequestOrigin(method, context)
        self.now = now
    }

    var events: ServiceEvents { ServiceEvents(client: client, database: door.database) }

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
                how: origin.how,
                request: origin.request,
                at: now
            )
        )
    }

    /// Tells of a change of who belongs to a service, and what they are to it.
    ///
    /// What cannot be told now is told by whoever looks for it later: the change holds.
    func tell(_ kind: MembershipNews.Kind, of other: String, in service: String) {
        let news = MembershipNews(kind, by: account, origin: origin, at: now)
        let untold = UntoldMemberships.Untold(service: service, account: other, news: news)
        do throws(MongoError) {
            try MembershipTrail(door: door, client: client).tell(untold)
        } catch {
            door.noteUntold([(untold, error)])
        }
    }
}

extension RequestOrigin {
    /// - Parameters:
    ///   - method: the request's.
    ///   - context: the request's.
    init(_ method: HTTPRequest.Method, _ context: APIContext) {
        self.init(
            request: context.requestID,
            how: "\(method.rawValue) \(context.endpointPath ?? APIMetrics.noRoute)"
        )
    }
}

extension PersonRequest {
    var origin: RequestOrigin { RequestOrigin(head.method, context) }
}
