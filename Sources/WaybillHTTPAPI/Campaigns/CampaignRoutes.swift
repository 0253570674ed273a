import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillAudience
import WaybillDeliveryLog
import WaybillEncoding
import WaybillMessages
import WaybillMongo
import WaybillNotifications
import WaybillThreads

/// Campaigns: one content for many devices, prepared, looked at, started, held and ended.
///
/// A key for some clients sees theirs alone: the question to the store says so.
struct CampaignRoutes: Sendable {
    let backend: APIBackend
    let store: StoreWorkers

    private static let mostNamed = 100

    var endpoints: [Endpoint] {
        [
            Endpoint(
                method: .get,
                path: "/v1/campaigns",
                action: .readCampaigns,
                parameters: ["limit", "cursor"],
                answer: list
            ),
            Endpoint(
                method: .post,
                path: "/v1/campaigns",
                action: .sendCampaigns,
                members: CampaignRequest.members,
                others: CampaignRequest.others,
                answer: create
            ),
            Endpoint(
                method: .get,
                path: "/v1/campaigns/{name}",
                action: .readCampaigns,
                parameters: CampaignSubject.parameters,
                answer: show
            ),
            Endpoint(
                method: .get,
                path: "/v1/campaigns/{name}/preview",
                action: .readCampaigns,
                parameters: CampaignSubject.parameters,
                answer: preview
            ),
            Endpoint(
                method: .post,
                path: "/v1/campaigns/{name}/test",
                action: .sendCampaigns,
                parameters: CampaignSubject.parameters,
                members: ["users", "devices"],
                others: ["users", "devices"],
                answer: test
            ),
            Endpoint(
                method: .post,
                path: "/v1/campaigns/{name}/start",
                action: .sendCampaigns,
                parameters: CampaignSubject.parameters,
                members: ["at_most"],
                others: ["at_most"],
                answer: start
            ),
            change("pause", .campaignPause) { store, id, by, now throws(MongoError) in
                try store.hold(id, true, by: by, now: now)
            },
            change("resume", .campaignResume) { store, id, by, now throws(MongoError) in
                try store.hold(id, false, by: by, now: now)
            },
            change("cancel", .campaignCancel) { store, id, by, now throws(MongoError) in
                try store.cancel(id, by: by, now: now)
            },
        ]
    }

    // MARK: - Reading

    /// The newest first: `{"campaigns": […], "next": …}`.
    private func list(_ request: APIRequest) async throws -> Response {
        let limit = try DeliveryFilters.number("limit", request.query, in: 1...200) ?? 50
        var position: CampaignStore.Position?
        if let cursor = try request.query.value("cursor") {
            guard let known = CampaignStore.Position(cursor) else {
                throw Problem.refused(.forgedCursor, "cursor is none of ours")
            }
            position = known
        }
        let (client, after) = (backend.campaigns.client, position)
        return try await ask(request) { store, _, _ throws(MongoError) in
            let campaigns = try store.list(limit: limit, after: after)
            var json = JSONWriter(capacity: 512 * (campaigns.count + 1))
            json.beginObject()
            json.beginArray("campaigns")
            for campaign in campaigns {
                let progress = try store.progress(campaign)
                json.element(json: CampaignAnswer.object(campaign, progress, client: client, isFull: false))
            }
            json.endArray()
            if campaigns.count == limit { json.member("next", campaigns.last.map { CampaignStore.Position($0).text }) }
            json.endObject()
            return .success(Response.json(json.bytes))
        }
    }

    private func show(_ request: APIRequest) async throws -> Response {
        let client = backend.campaigns.client
        return try await ask(request, about: try CampaignSubject(request)) { campaign, store, _ throws(MongoError) in
            return .success(Response.json(try Self.full(campaign, store, client)))
        }
    }

    // MARK: - Changing

    /// 201 with a draft; 200 where the same one is there already, 409 where another one has its name.
    private func create(_ request: APIRequest) async throws -> Response {
        let now = WallClock.milliseconds()
        let (rules, author) = (backend.campaigns, Self.author(request))
        let wanted = try request.body.form { body, checks -> Campaign? in
            let owner = CampaignRequest.client(body, &checks) { wanted throws(Problem) in
                try self.client(wanted, request)
            }
            return CampaignRequest(
                body,
                &checks,
                rules: rules,
                client: owner ?? rules.client,
                by: author,
                now: now
            )?.campaign
        }
        let client = rules.client
        let entry = AuditEntry(.campaignCreate, request, subject: wanted.id)
        return try await ask(request) { store, reader, audit throws(MongoError) in
            // What is there already is answered alike, whatever its app has become.
            if case .one = try store.find(wanted.name, of: wanted.client) {
            } else if let refusal = try rules.unknownApp(of: wanted, reader) {
                return .failure(.field("select.app", "\(refusal)"))
            }
            try audit.write(entry)
            let isNew = try store.create(wanted)
            guard case .one(let found) = try store.find(wanted.name, of: wanted.client),
                isNew || found.isSame(as: wanted)
            else { return .failure(Problem(.conflict, "another campaign has this name")) }
            return .success(Response.json(try Self.full(found, store, client), status: isNew ? .created : .ok))
        }
    }

    /// 202 with the campaign, of which what was handed over by then is said; 409 where nothing of it is left.
    private func change(
        _ word: String,
        _ action: AuditEntry.Action,
        _ change:
            @escaping @Sendable (CampaignStore, _ id: String, _ by: String, _ now: Int64) throws(MongoError)
            -> CampaignStore.Changed
    ) -> Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/campaigns/{name}/\(word)",
            action: .sendCampaigns,
            parameters: CampaignSubject.parameters
        ) { request in
            let (client, by) = (backend.campaigns.client, Self.author(request))
            let subject = try CampaignSubject(request, action)
            return try await ask(request, about: subject) { before, store, _ throws(MongoError) in
                let changed = try change(store, before.id, by, WallClock.milliseconds())
                guard changed != .unknown, let campaign = try store.campaign(before.id) else {
                    return .failure(Self.unknown)
                }
                switch changed {
                case .ended: return .failure(Problem(.conflict, "it has ended; nothing of it is left"))
                case .expired: return .failure(Problem(.conflict, "it has expired; nothing of it is left"))
                case .notStarted: return .failure(Problem(.conflict, "it is a draft; nothing of it is sent"))
                case .made, .before, .unknown:
                    return .success(Response.json(try Self.full(campaign, store, client), status: .accepted))
                }
            }
        }
    }

    // MARK: - Parts of it

    static let unknown = Problem(.notFound, "there is no such campaign")

    static func full(
        _ campaign: Campaign,
        _ store: CampaignStore,
        _ client: String,
        leftOut: AudienceLeftOut = AudienceLeftOut()
    ) throws(MongoError) -> [UInt8] {
        let progress = try store.progress(campaign)
        return CampaignAnswer.object(campaign, progress, client: client, isFull: true, leftOut: leftOut)
    }

    /// Whose a new campaign is: the client that its body names, or the only one of the key, or the installation's.
    private func client(_ wanted: String?, _ request: APIRequest) throws(Problem) -> String {
        switch request.caller.key.clients {
        case .all: return wanted ?? backend.campaigns.client
        case .only(let names):
            let client = wanted ?? (names.count == 1 ? names.first?.text : nil) ?? backend.campaigns.client
            guard names.containsExactly(client) else { throw Problem(.notFound, "the key is not for this client") }
            return client
        }
    }

    static func names(_ name: String, _ body: BodyText.Members) throws(Problem) -> [String] {
        guard let bytes = body.json(name) else { return [] }
        guard let names = JSONTexts.read(bytes), (1...mostNamed).contains(names.count),
            names.allSatisfy({ (1...AudienceLimits.nameCharacters).contains($0.count) })
        else {
            throw .field(
                name,
                "\(name) must be 1 to \(mostNamed) texts of at most \(AudienceLimits.nameCharacters) characters, in an array"
            )
        }
        return names
    }

    private static func author(_ request: APIRequest) -> String {
        "\(request.caller.key.name) (\(request.caller.key.id))"
    }

    /// Asks the store about one campaign; who changes something is in the audit before, with the client and the name.
    func ask(
        _ request: APIRequest,
        about subject: CampaignSubject,
        _ time: Duration = APILimits.handlingTime,
        _ question:
            @escaping @Sendable (Campaign, CampaignStore, AudienceReader) throws(MongoError) -> Result<
                Response, Problem
            >
    ) async throws -> Response {
        try await ask(request, time) { store, reader, audit throws(MongoError) in
            switch try store.find(subject.name, of: subject.client) {
            case .none: return .failure(Self.unknown)
            case .unreadable(let reason):
                return .failure(Problem(.conflict, "this is a campaign that nobody follows: \(reason)"))
            case .several(let clients):
                let names = clients.prefix(5).joined(separator: ", ")
                return .failure(
                    Problem(.conflict, "several clients have a campaign of this name; say whose with client=: \(names)")
                )
            case .one(let campaign):
                if let action = subject.action { try audit.write(AuditEntry(action, request, subject: campaign.id)) }
                return try question(campaign, store, reader)
            }
        }
    }

    /// Asks the store for a request, of the campaigns that the key sees.
    func ask(
        _ request: APIRequest,
        _ time: Duration = APILimits.handlingTime,
        _ question:
            @escaping @Sendable (CampaignStore, AudienceReader, AuditWriter) throws(MongoError)
            -> Result<Response, Problem>
    ) async throws -> Response {
        let database = backend.log.database
        var clients: Set<ExactName>?
        if case .only(let names) = request.caller.key.clients { clients = names }
        let scope = CampaignStore.Scope(clients: clients, unnamed: backend.campaigns.client)
        let deadline = request.context.began.advanced(by: time)
        return try await store.ask(for: request, until: deadline) {
            client throws(MongoError) -> Result<Response, Problem> in
            try question(
                CampaignStore(client: client, database: database, scope: scope),
                AudienceReader(client: client, database: database) { MonotonicTime.now() >= deadline },
                AuditWriter(client: client, database: database)
            )
        }.get()
    }
}
