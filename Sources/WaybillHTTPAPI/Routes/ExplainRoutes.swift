import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillDeliveryLog
import WaybillMongo
import WaybillNotifications
import WaybillOperations

/// Why a push did not arrive.
struct ExplainRoutes: Sendable {
    let backend: APIBackend
    let store: StoreWorkers
    let helpers: BatchHelpers
    let rejected: RejectedLook

    var endpoints: [Endpoint] {
        [
            Endpoint(
                method: .get,
                path: "/v1/explain",
                action: .readDeliveries,
                parameters: InvestigationSubject.parameters,
                answer: explain
            ),
            // In a body, for addresses end up in logs.
            Endpoint(
                method: .post,
                path: "/v1/explain",
                action: .lookUpToken,
                members: ["token"],
                answer: explainToken
            ),
        ]
    }

    /// What became of one notification, or of a batch.
    private func explain(_ request: APIRequest) async throws -> Response {
        try await answer(try InvestigationSubject(request.query), request)
    }

    /// What became of a device's pushes, and what the registry says of its token.
    private func explainToken(_ request: APIRequest) async throws -> Response {
        let token = try request.body.form { body, checks in
            checks.read("token") { () throws(Problem) in
                guard let token = body.value("token").flatMap(InvestigationSubject.token) else {
                    throw .field("token", "the body has no token: \(InvestigationSubject.tokenForm)")
                }
                return token
            }
        }
        return try await answer(.token(token), request)
    }

    /// The story; what it can mean where nothing is recorded.
    private func answer(_ subject: InvestigationSubject, _ request: APIRequest) async throws -> Response {
        let tokens: DeliveryJSON.Tokens = request.caller.may(.readTokens) ? .whole : .lastFour
        let access = request.caller.adviceAccess
        let json: String
        switch subject {
        case .notification(let id):
            let stories = try await investigate(request) { investigation throws(MongoError) in
                try investigation.notification(id)
            }
            json = stories.json(tokens: tokens, access: access)
        case .token(let token):
            try await LookUpAudit(database: backend.log.database, store: store).note(token, request)
            let story = try await investigate(request) { investigation throws(MongoError) in
                try investigation.token(token)
            }
            json = story.json(tokens: tokens, access: access)
        case .batch(let name):
            let story = try await investigate(request) { investigation throws(MongoError) in
                try investigation.batch(name)
            }
            json = story.json(access: access)
        }
        return Response.json(Array(json.utf8))
    }

    private func investigate<Story: Sendable>(
        _ request: APIRequest,
        _ question: @escaping @Sendable (DeliveryInvestigation) throws(MongoError) -> Story
    ) async throws(Problem) -> Story {
        let (options, retry, scope, helpers) = (backend.log, backend.retry, request.caller.scope, helpers)
        let owners = request.caller.may(.readCampaigns) ? backend.posted : nil
        let (access, rejected) = (request.caller.adviceAccess, rejected)
        return try await store.ask(for: request) { client throws(MongoError) in
            let investigation = DeliveryInvestigation(
                client: client,
                options: options,
                scope: scope,
                helpers: helpers,
                retry: retry,
                owners: owners,
                access: access,
                rejections: rejected.glance
            )
            return try question(investigation)
        }
    }
}
