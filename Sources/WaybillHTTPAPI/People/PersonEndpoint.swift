import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillEncoding

/// A route for people's apps and browsers: what it is called, and what answers it.
struct PersonEndpoint: Sendable {
    /// Who may ask.
    enum Answer: Sendable {
        /// Anybody: the route counts them by where they come from.
        case stranger(@Sendable (PersonRequest) async throws -> Response)
        /// Whoever has logged in.
        case person(@Sendable (PersonRequest, Person) async throws -> Response)
    }

    let method: HTTPRequest.Method
    /// As OpenAPI writes it, such as `/v1/account/sessions/{session}`.
    let path: String
    /// The members that the object in its body may have.
    var members: Set<String> = []
    /// Those of its members that are lists of words, and those that are true or false; the others are texts.
    var lists: Set<String> = []
    var flags: Set<String> = []
    /// The names that its query may have.
    var parameters: Set<String> = []
    let answer: Answer
}

/// A request of somebody's app or browser.
struct PersonRequest: Sendable {
    /// Its body has been read.
    let head: Request
    let context: APIContext
    let query: QueryText
    let body: BodyText

    /// What stands in the path in the place of the pattern's one name.
    func named() throws(Problem) -> String { try context.named() }

    /// What stands in the path in the place of a name of the pattern.
    func named(_ name: String) throws(Problem) -> String { try context.named(name) }

    /// A text that the body must have.
    ///
    /// - Throws: ``Problem`` 400.
    func text(_ name: String) throws(Problem) -> String {
        guard let text = body.value(name) else { throw Problem(.badRequest, "the body has no \(name)") }
        return text
    }
}

/// All routes for people.
struct PersonTable: Sendable {
    let door: FrontDoor
    let endpoints: [PersonEndpoint]

    init(door: FrontDoor, isProtected: Bool) {
        self.door = door
        let cookie = RefreshCookie(isProtected: isProtected)
        endpoints =
            AccountRoutes(door: door).endpoints + PasswordRoutes(door: door, cookie: cookie).endpoints
            + AddressRoutes(door: door).endpoints + LoginRoutes(door: door, cookie: cookie).endpoints
            + OwnDataRoutes(door: door).endpoints + QuietHoursRoutes(door: door).endpoints
            + ServiceRoutes(door: door).endpoints + ServiceKeyRoutes(door: door).endpoints
            + MemberRoutes(door: door).endpoints + InvitationRoutes(door: door).endpoints
    }

    func add(to router: Router<APIContext>) {
        let access = PersonAccess(door: door)
        for endpoint in endpoints {
            router.on(RouterPath(endpoint.path), method: endpoint.method) { request, context in
                switch endpoint.answer {
                case .stranger(let answer): return try await answer(Self.asked(endpoint, request, context))
                case .person(let answer):
                    let person = try await access.person(request, context)
                    do {
                        var response = try await answer(Self.asked(endpoint, request, context), person)
                        for (name, value) in RateLimitFields.of(person.allowance) { response.headers[name] = value }
                        return response
                    } catch var problem as Problem {
                        for (name, value) in RateLimitFields.of(person.allowance) { problem.headers[name] = value }
                        throw problem
                    }
                }
            }
        }
    }

    private static func asked(
        _ endpoint: PersonEndpoint,
        _ request: Request,
        _ context: APIContext
    ) async throws -> PersonRequest {
        PersonRequest(
            head: request,
            context: context,
            query: try QueryText(request.uri.query, allowing: endpoint.parameters),
            body: try await BodyText.read(
                request,
                allowing: endpoint.members,
                lists: endpoint.lists,
                flags: endpoint.flags
            )
        )
    }
}
