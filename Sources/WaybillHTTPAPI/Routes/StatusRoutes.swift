import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillMongo

/// The installation's state.
struct StatusRoutes: Sendable {
    let backend: APIBackend
    /// Threads that no search keeps busy.
    let store: StoreWorkers

    /// All who ask for the state are one party: the last answer serves for a moment, and one thread stays for the rest.
    private static let party = "status"

    var endpoints: [Endpoint] {
        [Endpoint(method: .get, path: "/v1/status", action: .readStatus, answer: status)]
    }

    private func status(_ request: APIRequest) async throws -> Response {
        let backend = backend
        let answer = try await store.ask(until: request.context.deadline, for: Self.party) { client in
            backend.status(client)
        }
        return Response.json(Array(answer.utf8))
    }
}
