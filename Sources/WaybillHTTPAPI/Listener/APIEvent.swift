import Logging
import WaybillTelemetry

/// What the HTTP API has to say.
enum APIEvent: TelemetryEvent {
    /// - Parameter page: where a browser finds the operators' page.
    case listening(address: String, page: String?, isProtected: Bool)
    case chartsMissing(reason: String)
    case notListening(address: String, reason: String)
    case request(Access)
    case failed(request: String, route: String, reason: String)
    case certificateReloaded
    case certificateRefused(reason: String)
    case brokerConnected
    case brokerFailed(reason: String)
    case refreshReplayed(Replay)
    /// - Parameter result: a word of ``LogInTally/Outcome``.
    case passwordRefused(result: String, request: String)
    /// The deletion of an account or a service, which is decided, could not be done, and so many others.
    case deletionHeldUp(Deleted, others: Int, reason: String)
    /// People could not be told of something about their service, and of so much else of its kind.
    case untold(Untold, others: Int, reason: String)
    /// Of the thesis' queue, like the next two.
    case queueConsuming(queue: String, waiting: Int)
    case queueFailed(reason: String)
    case queueRejected(reason: String, detail: String)

    /// A refresh token that was used before was shown again: by whoever has a copy, or by its owner after the copy was used.
    struct Replay: Sendable {
        let login: String
        let account: String
        let request: String
    }

    /// An answered request: the route's pattern, never the path, which may hold a token.
    struct Access: Sendable {
        let request: String
        let method: String
        let route: String
        let status: Int
        let milliseconds: Int
        let key: String?
        let address: String?
    }

    /// What somebody has deleted, by its id.
    enum Deleted: Hashable, Sendable {
        case account(String)
        case service(String)

        var kind: String {
            switch self {
            case .account: "account"
            case .service: "service"
            }
        }

        var id: String {
            switch self {
            case .account(let id), .service(let id): id
            }
        }
    }

    /// Of what nobody could be told.
    enum Untold: Sendable {
        /// Of a change of who belongs to it.
        case membership(service: String)
        /// That a key ends soon.
        case keyEnd(String, service: String)
        /// That Waybill has disabled a webhook.
        case disabledWebhook(String, service: String)

        var fields: Logger.Metadata {
            switch self {
            case .membership(let service): ["service": "\(service)"]
            case .keyEnd(let id, let service): ["service": "\(service)", "key": "\(id)"]
            case .disabledWebhook(let id, let service): ["service": "\(service)", "webhook": "\(id)"]
            }
        }
    }

    var name: String {
        switch self {
        case .listening: "api.listening"
        case .chartsMissing: "api.chartsMissing"
        case .notListening: "api.notListening"
        case .request: "api.request"
        case .failed: "api.failed"
        case .certificateReloaded: "api.certificateReloaded"
        case .certificateRefused: "api.certificateRefused"
        case .brokerConnected: "api.brokerConnected"
        case .brokerFailed: "api.brokerFailed"
        case .refreshReplayed: "api.refreshReplayed"
        case .passwordRefused: "api.passwordRefused"
        case .deletionHeldUp: "api.deletionHeldUp"
        case .untold: "api.untold"
        case .queueConsuming: "api.queueConsuming"
        case .queueFailed: "api.queueFailed"
        case .queueRejected: "api.queueRejected"
        }
    }

    var level: Logger.Level {
        switch self {
        case .listening: .info
        case .chartsMissing: .notice
        case .notListening: .warning
        case .request: .info
        case .failed: .error
        case .certificateReloaded: .info
        case .certificateRefused: .warning
        case .brokerConnected: .info
        case .brokerFailed: .warning
        case .refreshReplayed: .warning
        case .passwordRefused: .info
        case .deletionHeldUp, .untold: .warning
        case .queueConsuming: .info
        case .queueFailed, .queueRejected: .warning
        }
    }

    var message: Logger.Message {
        switch self {
        case .listening: "The HTTP API is offered at this address"
        case .chartsMissing: "The page shows tables instead of charts: install libjs-chart.js, or say serve.assets"
        case .notListening: "The HTTP API cannot listen at this address; it is tried again"
        case .request: "A request was answered"
        case .failed: "A request could not be answered"
        case .certificateReloaded: "New connections are shown the new certificate"
        case .certificateRefused: "The certificate has changed and cannot be used; the one before it goes on"
        case .brokerConnected: "Services' notifications can be handed over to the broker"
        case .brokerFailed: "Services' notifications cannot be handed over to the broker; it is tried again"
        case .refreshReplayed: "A refresh token was shown that had been used before; its session has ended"
        case .passwordRefused: "A password was not taken"
        case .deletionHeldUp: "A deletion is decided and could not be ended; it is tried again"
        case .untold: "People could not be told of something about their service; it is tried again"
        case .queueConsuming: "Messages of the thesis' queue are taken"
        case .queueFailed: "Messages of the thesis' queue cannot be taken; it is tried again"
        case .queueRejected: "A message of the thesis' queue cannot be used and is in the rejected queue"
        }
    }

    var fields: Logger.Metadata {
        switch self {
        case .listening(let address, let page, let isProtected):
            ["address": "\(address)", "tls": "\(isProtected)"].merging(page.map { ["page": "\($0)"] } ?? [:]) { $1 }
        case .chartsMissing(let reason): ["reason": "\(reason)"]
        case .notListening(let address, let reason): ["address": "\(address)", "reason": "\(reason)"]
        case .request(let access):
            [
                "request": "\(access.request)", "method": "\(access.method)", "route": "\(access.route)",
                "status": "\(access.status)", "milliseconds": "\(access.milliseconds)",
            ].merging(
                [("key", access.key), ("peer", access.address)].compactMap { name, value in
                    value.map { (name, "\($0)") }
                }
            ) { $1 }
        case .failed(let request, let route, let reason):
            ["request": "\(request)", "route": "\(route)", "reason": "\(reason)"]
        case .certificateReloaded: [:]
        case .certificateRefused(let reason): ["reason": "\(reason)"]
        case .queueConsuming(let queue, let waiting):
            ["queue": "\(queue)", "waiting": .stringConvertible(waiting)]
        case .queueFailed(let reason): ["reason": "\(reason)"]
        case .queueRejected(let reason, let detail): ["reason": "\(reason)", "detail": "\(detail)"]
        case .brokerConnected: [:]
        case .brokerFailed(let reason): ["reason": "\(reason)"]
        case .deletionHeldUp(let what, let others, let reason):
            [what.kind: "\(what.id)", "others": .stringConvertible(others), "reason": "\(reason)"]
        case .untold(let untold, let others, let reason):
            ["others": .stringConvertible(others), "reason": "\(reason)"].merging(untold.fields) { $1 }
        case .passwordRefused(let result, let request): ["result": "\(result)", "request": "\(request)"]
        case .refreshReplayed(let replay):
            ["session": "\(replay.login)", "account": "\(replay.account)", "request": "\(replay.request)"]
        }
    }
}
