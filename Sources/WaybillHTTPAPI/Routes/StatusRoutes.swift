import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillMongo

/// The installation's state.
struct StatusRoutes: Sendable {
    let backend: APIBackend
    let store: StoreWorkers

    var endpoints: [Endpoint] {
        [Endpoint(method: .get, path: "/v1/status", action: .readStatus, answer: status)]
    }

    private func status(_ request: APIRequest) async throws -> Response {
        let backend = backend
        let answer = try await store.ask(until: request.context.deadline) { client in backend.status(client) }
        return Response.json(Array(answer.utf8))
    }
}
