import HTTPTypes
import Hummingbird

/// A route of the thesis' API.
struct NotifireEndpoint: Sendable {
    let method: HTTPRequest.Method
    /// At the root, as the thesis has it: no pattern.
    let path: String
    let answer: @Sendable (NotifireRequest) async throws -> Response
}

/// All routes of the thesis' API, and which paths are its own.
///
/// It is a contract of its own, that neither grows nor changes: `schemas/openapi.yaml` describes ours.
struct NotifireTable: Sendable {
    let endpoints: [NotifireEndpoint]
    /// Bodies have no type here by which browsers would ask first whether another site's page may send them.
    let origin: OriginCheck

    /// The day on which ours had all that this one has, 2026-11-24; it has no day on which it ends.
    static let deprecation = "@1795478400"

    /// Each path once.
    var paths: [String] {
        var seen: Set<String> = []
        return endpoints.map(\.path).filter { seen.insert($0).inserted }
    }

    func add(to router: Router<APIContext>) {
        for endpoint in endpoints {
            router.on(RouterPath(endpoint.path), method: endpoint.method) { request, context -> Response in
                if endpoint.method != .get { try origin.refuseForeign(request) }
                return try await endpoint.answer(
                    NotifireRequest(
                        head: request.head,
                        context: context,
                        query: request.uri.query,
                        bytes: Array(try await request.body.collect(upTo: APILimits.bodyBytes).readableBytesView)
                    )
                )
            }
        }
    }

    /// Whether what is not found there is answered as the thesis has it: 404 without a body, whatever the method.
    ///
    /// That is every path that is not of ours.
    static func owns(_ path: String) -> Bool {
        guard let first = path.split(separator: "/").first else { return false }
        return !["v1", "page", ".well-known"].contains(first)
    }
}

/// A request of the thesis' API.
struct NotifireRequest: Sendable {
    let head: HTTPRequest
    let context: APIContext
    /// What stands behind the question mark, as it came.
    let query: String?
    /// The body, whatever type its header names: the author's own app names none.
    let bytes: [UInt8]

    /// The body as a JSON object.
    ///
    /// - Throws: ``Problem`` 400.
    func body() throws(Problem) -> NotifireBody { try NotifireBody(bytes) }

    /// A value of the query.
    ///
    /// - Parameter name: what it is called.
    /// - Returns: `nil` where there is none.
    /// - Throws: ``Problem`` 400 for one that cannot be decoded, or is there twice.
    func queryValue(_ name: String) throws(Problem) -> String? {
        try NotifireQuery.value(name, in: query ?? "")
    }
}
