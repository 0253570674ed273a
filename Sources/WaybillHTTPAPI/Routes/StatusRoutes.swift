import HTTPTypes
import Hummingbird
import WaybillAccounts

/// The installation's state.
struct StatusRoutes: Sendable {
    let backend: APIBackend

    var endpoints: [Endpoint] {
        [Endpoint(method: .get, path: "/v1/status", action: .readStatus, answer: status)]
    }

    private func status(_ request: APIRequest) async throws -> Response {
        Response.json(Array(await backend.status().utf8))
    }
}
