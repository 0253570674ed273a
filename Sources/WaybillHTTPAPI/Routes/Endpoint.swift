import HTTPTypes
import Hummingbird
import WaybillAccounts

/// A route: what it is called, what its caller must be allowed, and what answers it.
struct Endpoint: Sendable {
    let method: HTTPRequest.Method
    /// As OpenAPI writes it, such as `/v1/deliveries/{apns_id}`.
    let path: String
    /// What the caller must be allowed at the least; `nil`: anybody with a good key.
    var action: Action?
    /// The names that its query may have.
    var parameters: Set<String> = []
    /// The members that the object in its body may have.
    var members: Set<String> = []
    /// Those of them that are true or false.
    var flags: Set<String> = []
    /// Those of them that the route reads itself.
    var others: Set<String> = []
    /// Why a body is refused, where somebody may mean to say something by it; `nil`: one without members is not looked at.
    var bodyRefusal: String?
    /// Whether the key is the body's `key`, because nobody has logged in yet.
    var keyIsInBody = false
    let answer: @Sendable (APIRequest) async throws -> Response
}

/// A route for whoever asks: what they send proves itself, or needs no proof.
struct OpenEndpoint: Sendable {
    let method: HTTPRequest.Method
    /// As OpenAPI writes it.
    let path: String
    /// The most that its body may have; the route reads it.
    let bodyBytes: Int
    let answer: @Sendable (Request, APIContext) async throws -> Response
}

/// A request whose caller is known and let in.
struct APIRequest: Sendable {
    let head: HTTPRequest
    let caller: Caller
    let context: APIContext
    let query: QueryText
    let body: BodyText
    /// Method and route, for the audit.
    let how: String

    /// What stands in the path in the place of the pattern's one name.
    func named() throws(Problem) -> String { try context.named() }
}

/// All routes.
struct EndpointTable: Sendable {
    let endpoints: [Endpoint]
    /// Those that ask for no key.
    var openEndpoints: [OpenEndpoint] = []
    /// Those of people's apps and browsers; `nil` where people have no accounts.
    var people: PersonTable?
    /// Paths that anybody may GET: of the pages, and what is well-known.
    var open: [String] = []
    /// The thesis' API, whose paths answer in its own way; `nil` where it is not offered.
    var notifire: NotifireTable?

    /// What of ours is described by OpenAPI.
    private var routes: [(method: HTTPRequest.Method, path: String)] {
        endpoints.map { ($0.method, $0.path) } + openEndpoints.map { ($0.method, $0.path) }
            + (people?.endpoints.map { ($0.method, $0.path) } ?? [])
    }

    /// The patterns of all paths, each once.
    var paths: [String] {
        var seen: Set<String> = []
        return (routes.map(\.path) + open + (notifire?.paths ?? [])).filter { seen.insert($0).inserted }
    }

    /// Whether what is not found is answered as the thesis has it: 404 without a body, also for another method.
    func isSilent(_ path: String, _ status: HTTPResponse.Status) -> Bool {
        notifire != nil && NotifireTable.owns(path) && [.notFound, .methodNotAllowed].contains(status)
    }

    /// Whether a request's body is read by its route, which allows more than others do.
    func readsBody(_ path: String, method: HTTPRequest.Method) -> Bool {
        people?.endpoints.contains {
            $0.bodyBytes != nil && $0.method == method && Self.matches($0.path, path)
        } ?? false || openEndpoints.contains { $0.method == method && $0.path == path }
    }

    /// Whether an answer of a route is counted and not logged: everybody's phone asks, and where a phone is, is nobody's business.
    func isQuiet(_ route: String, _ status: HTTPResponse.Status) -> Bool {
        status.kind == .successful && openEndpoints.contains { $0.path == route }
    }

    /// Refuses a path with slashes that stand for nothing, and what a pattern would take for a name where the same path is a
    /// route of its own, by another method.
    ///
    /// Whoever guards paths in front of this server compares them as they are, so each route has one.
    ///
    /// - Throws: ``Problem`` 404 or 405.
    func requireRoute(_ path: String, method: HTTPRequest.Method) throws(Problem) {
        guard !path.contains("//") else { throw Self.nothing }
        let methods = own(path)
        guard !methods.isEmpty, !methods.contains(method), !(method == .head && methods.contains(.get)) else { return }
        throw problem(for: path, method: method)
    }

    /// What there is for a path and method that is no route: 405 where another method would do.
    func problem(for path: String, method: HTTPRequest.Method) -> Problem {
        let own = own(path)
        let methods =
            own.isEmpty
            ? routes.filter { Self.matches($0.path, path) }.map(\.method)
                + open.filter { Self.matches($0, path) }.map { _ in .get }
            : own
        guard !methods.isEmpty else { return Self.nothing }
        let allowed = methods.contains(.get) ? methods + [.head] : methods
        return Problem(.methodNotAllowed, "this can be asked by other methods only")
            .with(.allow, allowed.map(\.rawValue).sorted().joined(separator: ", "))
    }

    private static let nothing = Problem(.notFound, "there is nothing here")

    /// The methods of the route whose pattern is the path itself; a slash behind it does not count.
    private func own(_ path: String) -> [HTTPRequest.Method] {
        let parts = path.split(separator: "/")
        return routes.filter { $0.path.split(separator: "/") == parts }.map(\.method)
    }

    private static func matches(_ pattern: String, _ path: String) -> Bool {
        let (wanted, found) = (pattern.split(separator: "/"), path.split(separator: "/"))
        return wanted.count == found.count && zip(wanted, found).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }
}
