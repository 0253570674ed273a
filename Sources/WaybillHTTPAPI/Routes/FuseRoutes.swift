import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillDeliveryLog
import WaybillDeviceRegistry
import WaybillEncoding
import WaybillFleet
import WaybillMongo
import WaybillOperations

/// Fuses of prune, and decisions about what they hold.
struct FuseRoutes: Sendable {
    let backend: APIBackend
    let store: StoreWorkers

    private static let decisions: [(word: String, state: Fuse.State, action: AuditEntry.Action)] = [
        ("release", .released, .fuseRelease), ("discard", .discarded, .fuseDiscard),
    ]

    var endpoints: [Endpoint] {
        [Endpoint(method: .get, path: "/v1/fuses", action: .readStatus, answer: fuses)]
            + Self.decisions.map { word, state, action in
                Endpoint(
                    method: .post,
                    path: "/v1/fuses/{lane}/\(word)",
                    action: .decideFuses,
                    members: ["app", "note"],
                    answer: { try await decide(state, action, $0) }
                )
            }
    }

    /// Every fuse that has ever blown: `{"fuses": […]}`, and beside them the names of documents that are none, if there are any.
    private func fuses(_ request: APIRequest) async throws -> Response {
        let database = backend.log.database
        let survey = try await store.ask(for: request) { client throws(MongoError) in
            try FuseControl(client: client, database: database).survey()
        }
        var json = JSONWriter(capacity: 512 * (survey.fuses.count + 1))
        json.beginObject()
        json.beginArray("fuses")
        for fuse in survey.fuses { json.element(json: FuseJSON.text(fuse).utf8) }
        json.endArray()
        if !survey.unreadable.isEmpty { json.member("unreadable", survey.unreadable) }
        json.endObject()
        return Response.json(json.bytes)
    }

    /// Decides about what a fuse holds: 202 with the fuse, and who has decided in the audit before.
    ///
    /// 404 where none is blown, 409 where it is not said which, or somebody else was faster; then the audit has that, too.
    private func decide(_ state: Fuse.State, _ action: AuditEntry.Action, _ request: APIRequest) async throws
        -> Response
    {
        let (source, app) = try request.body.form { body, checks in
            checks.read("note") { () throws(Problem) in
                (try OrderSource(request, note: body.value("note")), body.value("app"))
            }
        }
        let decision = FuseDecision(name: source.name, date: source.date, note: source.note)
        let lane = try request.named()
        let database = backend.log.database
        let entry = AuditEntry(action, request, subject: lane, at: source.date)
        let refusal = AuditEntry(.fuseRefused, request, subject: lane, at: source.date)
        let answer = try await store.ask(for: request) { client throws(MongoError) in
            let audit = AuditWriter(client: client, database: database)
            try audit.write(entry)
            let answer = try FuseControl(client: client, database: database)
                .decide(lane: lane, app: app, state, decision)
            if case .decided = answer { return answer }
            try audit.write(refusal)
            return answer
        }
        switch answer {
        case .decided(let overview):
            backend.stateHasChanged()
            return Response.json(Array(FuseJSON.text(overview).utf8), status: .accepted)
        case .notBlown: throw Problem(.notFound, "no fuse of this lane and app is blown")
        case .several(let names):
            let apps = names.map(\.app).joined(separator: ", ")
            throw Problem(.conflict, "several fuses of this lane are blown; say which with app: \(apps)")
        case .changed: throw Problem(.conflict, "somebody else has decided about this fuse meanwhile")
        }
    }
}
