import HTTPTypes
import WaybillAccounts
import WaybillEncoding
import WaybillMongo
import WaybillOutbox

/// The endpoints of a service, for those who own or manage it; each write is in a majority's journal when it returns.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
struct ServiceWebhooks {
    /// Endpoints that one account may have made, in all services.
    static let mostOfAccount = 20
    /// Of the latest events of an endpoint.
    private static let mostShown = 50

    private let services: ServiceReader
    private let endpoints: WebhookEndpoints
    private let secrets: WebhookSecrets
    private let deliveries: WebhookDeliveries
    private let most: Int

    /// - Parameters:
    ///   - client: the store's.
    ///   - database: where all of it is.
    ///   - most: endpoints of one service.
    init(client: MongoClient, database: String, most: Int) {
        services = ServiceReader(client: client, database: database)
        endpoints = WebhookEndpoints(client: client, database: database)
        secrets = WebhookSecrets(client: client, database: database)
        deliveries = WebhookDeliveries(client: client, database: database)
        self.most = most
    }

    /// The endpoints of a service, the oldest first.
    func list(_ service: String, by account: String) throws(ServiceWebhookProblem) -> [WebhookEndpoint] {
        try authorise(account, .readWebhooks, service)
        return try stored { () throws(MongoError) in try endpoints.all(ofService: service) }
    }

    /// Makes an endpoint.
    ///
    /// - Parameters:
    ///   - url: where to.
    ///   - events: which; empty for all.
    ///   - service: whose.
    ///   - account: the id of who asks.
    ///   - now: milliseconds since 1970.
    /// - Returns: the endpoint, and its secret, which is shown this once.
    /// - Throws: ``ServiceWebhookProblem``.
    func add(
        _ url: WebhookURL,
        events: [WebhookEventType],
        to service: String,
        by account: String,
        now: Int64
    ) throws(ServiceWebhookProblem) -> (endpoint: WebhookEndpoint, secret: WebhookSecret) {
        try authorise(account, .changeWebhooks, service)
        let all = try stored { () throws(MongoError) in try endpoints.allOfServices() }
        guard all.count < WebhookEndpoints.mostOfServices else { throw .full }
        guard all.count(where: { $0.createdBy == account }) < Self.mostOfAccount else {
            throw .tooManyOfAccount(Self.mostOfAccount)
        }
        let id = WebhookEndpoints.newID()
        // First the secret: an endpoint without one is told nothing.
        let secret = try stored { () throws(MongoError) in
            let secret = try secrets.make(for: id)
            try endpoints.add(id, owner: .service(service), url: url, events: events, by: account)
            return secret
        }
        // A deletion says that the service is not there before it looks for endpoints: one that comes after that is nobody's to end.
        do throws(ServiceWebhookProblem) {
            try authorise(account, .changeWebhooks, service)
        } catch {
            try stored { () throws(MongoError) in try remove(id, now: now) }
            throw error
        }
        // Of several that are made at once each sees those before it: whoever sees too many gives way.
        let present = try stored { () throws(MongoError) in try endpoints.all(ofService: service) }
        guard present.count <= most, let made = present.first(where: { $0.id == id }) else {
            try stored { () throws(MongoError) in try remove(id, now: now) }
            throw .tooMany(most)
        }
        return (made, secret)
    }

    /// An endpoint and its latest events, the latest first.
    ///
    /// - Parameters:
    ///   - id: the endpoint's.
    ///   - service: whose.
    ///   - account: the id of who asks.
    ///   - onlyFailed: whether those alone are wanted that were given up.
    /// - Returns: both.
    /// - Throws: ``ServiceWebhookProblem``.
    func show(
        _ id: String,
        of service: String,
        by account: String,
        onlyFailed: Bool
    ) throws(ServiceWebhookProblem) -> (endpoint: WebhookEndpoint, deliveries: [WebhookDelivery]) {
        let endpoint = try endpoint(id, of: service, by: account, .readWebhooks)
        let states: [WebhookDelivery.State] = onlyFailed ? [.failed] : [.waiting, .delivered, .failed]
        return try stored { () throws(MongoError) in
            (endpoint, try deliveries.list(at: id, states: states, limit: Self.mostShown))
        }
    }

    /// Gives an endpoint another secret, which is shown this once; the one before it signs, too, for the overlap.
    func rotate(
        _ id: String,
        of service: String,
        overlap: KeyOverlap,
        by account: String,
        now: Int64
    ) throws(ServiceWebhookProblem) -> WebhookSecret {
        _ = try endpoint(id, of: service, by: account, .changeWebhooks)
        let rotation = try stored { () throws(MongoError) in
            try secrets.rotate(id, overlap: overlap.milliseconds, now: now)
        }
        switch rotation {
        case .rotated(let secret): return secret
        case .changed: throw .busy
        case .full(let until): throw .tooManySecrets(until: until)
        }
    }

    /// Has an endpoint told something harmless.
    ///
    /// - Returns: the event's id; ``show(_:of:by:onlyFailed:)`` says what came of it.
    func test(
        _ id: String,
        of service: String,
        by account: String,
        now: Int64
    ) throws(ServiceWebhookProblem) -> String {
        let endpoint = try endpoint(id, of: service, by: account, .changeWebhooks)
        guard endpoint.isActive else { throw .disabled }
        let event = endpoint.testEvent(now: now)
        try stored { () throws(MongoError) in try deliveries.enqueue([(event, id)], now: now) }
        return event.id
    }

    /// What of an endpoint's events is told again.
    struct Selection {
        /// One event; `nil`: all of the time.
        var event: String?
        /// When they were put in, in milliseconds since 1970.
        var dates: Range<Int64>
        var onlyFailed: Bool
    }

    /// Has an endpoint told events again, under the same ids.
    ///
    /// - Returns: how many.
    func replay(
        _ selection: Selection,
        at id: String,
        of service: String,
        by account: String,
        now: Int64
    ) throws(ServiceWebhookProblem) -> Int {
        _ = try endpoint(id, of: service, by: account, .changeWebhooks)
        let count = try stored { () throws(MongoError) in
            try deliveries.replay(
                at: id,
                event: selection.event,
                dates: selection.dates,
                states: selection.onlyFailed ? [.failed] : [.waiting, .delivered, .failed],
                now: now
            )
        }
        guard count > 0 || selection.event == nil else { throw .noEvent }
        return count
    }

    /// Switches an endpoint on or off.
    ///
    /// - Returns: the endpoint as it is then.
    func turn(
        _ id: String,
        of service: String,
        on isOn: Bool,
        by account: String
    ) throws(ServiceWebhookProblem) -> WebhookEndpoint {
        _ = try endpoint(id, of: service, by: account, .changeWebhooks)
        let isThere = try stored { () throws(MongoError) in
            try isOn
                ? endpoints.enable(id) != .missing
                : endpoints.disable(id, reason: "somebody who manages the service has disabled it")
        }
        guard isThere else { throw .notFound }
        return try endpoint(id, of: service, by: account, .changeWebhooks)
    }

    /// Removes an endpoint and its secrets.
    func remove(
        _ id: String,
        of service: String,
        by account: String,
        now: Int64
    ) throws(ServiceWebhookProblem) {
        _ = try endpoint(id, of: service, by: account, .changeWebhooks)
        try stored { () throws(MongoError) in try remove(id, now: now) }
    }

    private func remove(_ id: String, now: Int64) throws(MongoError) {
        _ = try endpoints.remove(id, now: now)
        try secrets.remove(id, now: now)
    }

    private func endpoint(
        _ id: String,
        of service: String,
        by account: String,
        _ action: ServiceAction
    ) throws(ServiceWebhookProblem) -> WebhookEndpoint {
        try authorise(account, action, service)
        let found = try stored { () throws(MongoError) in try endpoints.all(ofService: service) }
        guard let endpoint = found.first(where: { $0.id.isExactly(id) }) else { throw .notFound }
        return endpoint
    }

    private func authorise(
        _ account: String,
        _ action: ServiceAction,
        _ service: String
    ) throws(ServiceWebhookProblem) {
        do throws(ServiceProblem) {
            _ = try services.authorise(account, action, service)
        } catch {
            throw .service(error)
        }
    }

    @discardableResult
    private func stored<Answer>(
        _ question: () throws(MongoError) -> Answer
    ) throws(ServiceWebhookProblem) -> Answer {
        do throws(MongoError) {
            return try question()
        } catch {
            throw .store(error)
        }
    }
}

/// Why nothing was done with an endpoint of a service.
enum ServiceWebhookProblem: Error {
    case service(ServiceProblem)
    case notFound
    case tooMany(Int)
    case tooManyOfAccount(Int)
    /// The whole installation has as many as it may.
    case full
    case disabled
    /// Somebody else rotates the secret at this moment.
    case busy
    /// The first of those that sign ends then, in milliseconds since 1970.
    case tooManySecrets(until: Int64)
    case noEvent
}

extension ServiceWebhookProblem: ServiceFailure {
    static func store(_ error: MongoError) -> Self { .service(.store(error)) }

    var problem: Problem {
        switch self {
        case .service(let problem): Problem(problem)
        case .notFound: Problem(.notFound, "no such webhook")
        case .tooMany(let most): Problem(.conflict, "a service has \(most) webhooks at most")
        case .tooManyOfAccount(let most): Problem(.conflict, "an account has made \(most) webhooks at most")
        case .full: Problem(.conflict, "this installation has as many webhooks as it may; ask whoever runs it")
        case .disabled: Problem(.conflict, "this webhook is disabled; enable it first")
        case .busy: Problem(.conflict, "somebody else rotates its secret at this moment")
        case .tooManySecrets(let until):
            Problem(
                .conflict,
                "\(WebhookSecrets.mostLive) secrets sign already; the first of them ends at \(TimeText.text(milliseconds: until)), and overlap 0 ends all"
            )
        case .noEvent: Problem(.notFound, "this webhook has no such event")
        }
    }
}
