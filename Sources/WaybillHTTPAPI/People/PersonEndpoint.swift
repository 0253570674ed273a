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
        /// Whoever shows a service's key.
        case key(@Sendable (PersonRequest, ServiceGrant) async throws -> Response)
        /// Either.
        case reader(@Sendable (PersonRequest, NoticeReader) async throws -> Response)
    }

    let method: HTTPRequest.Method
    /// As OpenAPI writes it, such as `/v1/account/sessions/{session}`.
    let path: String
    /// The names that its query may have.
    var parameters: Set<String> = []
    /// The members that the object in its body may have.
    var members: Set<String> = []
    /// Those of its members that are lists of words, and those that are true or false; the others are texts.
    var lists: Set<String> = []
    var flags: Set<String> = []
    /// Those that the route reads itself.
    var others: Set<String> = []
    /// Whether these are not all texts: then ``PersonRequest/object`` has them.
    var isTyped = false
    /// How large a body may be that is no JSON: it is read when whoever sends it is known, and is ``PersonRequest/bytes`` then.
    var bodyBytes: Int?
    let answer: Answer
}

/// A request of somebody's app or browser.
struct PersonRequest: Sendable {
    /// Its body has been read.
    let head: Request
    let context: APIContext
    let query: QueryText
    let body: BodyText
    /// Where the members of its body are not all texts.
    var object: TypedBody?
    /// Its body, where that is no JSON.
    var bytes: [UInt8] = []

    /// What stands in the path in the place of the pattern's one name.
    func named() throws(Problem) -> String { try context.named() }

    /// What stands in the path in the place of a name of the pattern.
    func named(_ name: String) throws(Problem) -> String { try context.named(name) }
}

/// All routes for people.
struct PersonTable: Sendable {
    let door: FrontDoor
    let endpoints: [PersonEndpoint]

    private let keys: ServiceKeyAccess
    private let access: PersonAccess

    init(door: FrontDoor, isProtected: Bool, notices: NoticeParts, sockets: SocketTally) {
        self.door = door
        (keys, access) = (notices.keys, notices.people)
        let cookie = RefreshCookie(isProtected: isProtected)
        endpoints =
            AccountRoutes(door: door).endpoints + PasswordRoutes(door: door, cookie: cookie).endpoints
            + AddressRoutes(door: door).endpoints + LoginRoutes(door: door, cookie: cookie).endpoints
            + OwnDataRoutes(door: door, places: notices.places).endpoints + QuietHoursRoutes(door: door).endpoints
            + ServiceRoutes(door: door).endpoints + ServiceImageRoutes(door: door).endpoints
            + ServiceKeyRoutes(door: door, hasDerivedKeys: notices.services != nil).endpoints
            + ServiceWebhookRoutes(door: door).endpoints
            + MemberRoutes(door: door).endpoints + InvitationRoutes(door: door).endpoints
            + NoticeRoutes(parts: notices).endpoints + EventRoutes(parts: notices).endpoints
            + OwnDeviceRoutes(parts: notices).endpoints
            + SocketRoutes(parts: notices, origin: OriginCheck(isProtected: isProtected), tally: sockets).endpoints
    }

    func add(to router: Router<APIContext>) {
        let (access, keys) = (access, keys)
        for endpoint in endpoints {
            router.on(RouterPath(endpoint.path), method: endpoint.method) { request, context in
                switch endpoint.answer {
                case .stranger(let answer): return try await answer(Self.asked(endpoint, request, context))
                case .person(let answer):
                    let person = try await access.person(request, context)
                    return try await Self.counted(person.allowance) {
                        try await answer(Self.asked(endpoint, request, context), person)
                    }
                case .key(let answer):
                    let (grant, allowance) = try await keys.grant(request, context)
                    return try await Self.counted(allowance) {
                        try await answer(Self.asked(endpoint, request, context), grant)
                    }
                case .reader(let answer):
                    let reader: NoticeReader
                    let allowance: TokenBuckets.Allowance
                    if ServiceKeyAccess.isShown(request) {
                        let (grant, left) = try await keys.grant(request, context)
                        (reader, allowance) = (.key(grant), left)
                    } else {
                        let person = try await access.person(request, context)
                        (reader, allowance) = (.person(person), person.allowance)
                    }
                    return try await Self.counted(allowance) {
                        try await answer(Self.asked(endpoint, request, context), reader)
                    }
                }
            }
        }
    }

    /// An answer, or a refusal, with the header fields that say how often its caller may ask.
    private static func counted(
        _ allowance: TokenBuckets.Allowance,
        _ answer: () async throws -> Response
    ) async throws -> Response {
        do {
            var response = try await answer()
            for (name, value) in RateLimitFields.of(allowance) { response.headers[name] = value }
            return response
        } catch var problem as Problem {
            problem.note(allowance)
            throw problem
        }
    }

    private static func asked(
        _ endpoint: PersonEndpoint,
        _ request: Request,
        _ context: APIContext
    ) async throws -> PersonRequest {
        if let most = endpoint.bodyBytes {
            let request = try await WholeBody.read(request, context, most: most)
            return PersonRequest(
                head: request,
                context: context,
                query: try QueryText(request.uri.query, allowing: endpoint.parameters),
                body: try await BodyText.read(request, allowing: []),
                bytes: Array(try await request.body.collect(upTo: most).readableBytesView)
            )
        }
        return PersonRequest(
            head: request,
            context: context,
            query: try QueryText(request.uri.query, allowing: endpoint.parameters),
            body: try await BodyText.read(
                request,
                allowing: endpoint.isTyped ? [] : endpoint.members,
                lists: endpoint.lists,
                flags: endpoint.flags,
                others: endpoint.others
            ),
            object: endpoint.isTyped ? try await TypedBody.read(request, allowing: endpoint.members) : nil
        )
    }
}
