import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding
import WaybillMongo
import WaybillNotifications
import WaybillOperations

/// What became of a batch, and what failed alike.
struct StoryRoutes: Sendable {
    let backend: APIBackend
    let store: StoreWorkers
    let helpers: BatchHelpers
    let rejected: RejectedLook

    /// How many failures are looked at where there are more: they take less than 300 ms.
    private static let newestFailures = 20_000

    var endpoints: [Endpoint] {
        [
            Endpoint(method: .get, path: "/v1/batches/{batch_id}", action: .readDeliveries, answer: batch),
            Endpoint(
                method: .get,
                path: "/v1/groups",
                action: .readDeliveries,
                parameters: DeliveryFilters.names.subtracting(["token"]),
                answer: groups
            ),
        ]
    }

    /// How a batch and its parts ended; 404 if nothing is recorded, nobody has cancelled it, none of its messages was rejected, and the
    /// store knows nothing of the name; 503 where none is known to have been rejected because another process holds what was.
    private func batch(_ request: APIRequest) async throws -> Response {
        let name = try request.named()
        let (options, scope, helpers) = (backend.log, request.caller.scope, helpers)
        let (access, rejected) = (request.caller.adviceAccess, rejected)
        let owners = request.caller.may(.readCampaigns) ? backend.posted : nil
        let (story, isHeldElsewhere) = try await store.ask(for: request) {
            client throws(MongoError) -> (BatchStory, Bool) in
            let look = rejected.glance()
            let investigation = DeliveryInvestigation(
                client: client,
                options: options,
                scope: scope,
                readsRegistry: false,
                helpers: helpers,
                owners: owners,
                access: access,
                rejections: { look }
            )
            return (try investigation.batch(name, withParts: true), look?.isHeldElsewhere == true)
        }
        guard !story.groups.isEmpty || !story.cancelled.isEmpty || !story.rejected.isEmpty || story.isPosted else {
            guard !isHeldElsewhere else {
                throw Problem.unavailable(
                    "the log has no record of this batch, and another process is at the rejected queue; try again"
                )
            }
            throw Problem(
                .notFound,
                "the log has no record of this batch; GET /v1/explain?batch= has what that can mean"
            )
        }
        return Response.json(Array(story.json(access: request.caller.adviceAccess).utf8))
    }

    /// Records that ended alike, the largest group first; what went wrong, unless an outcome is asked for.
    private func groups(_ request: APIRequest) async throws -> Response {
        var query = try DeliveryFilters(request.query).query
        if query.outcomes.isEmpty, !query.excludedOutcomes.contains(.accepted) {
            query.excludedOutcomes += [.accepted, .deferred]
        }
        let (options, scope, asked) = (backend.log, request.caller.scope, query)
        let (groups, sample) = try await store.ask(for: request) {
            client throws(MongoError) -> ([DeliveryGroup], Int?) in
            let reader = DeliveryLogReader(client: client, options: options, scope: scope)
            return try reader.groups(asked, ofNewest: Self.newestFailures)
        }
        var json = JSONWriter(capacity: 256 * (groups.count + 1))
        json.beginObject()
        json.beginArray("groups")
        for group in groups { json.element(json: group.json.utf8) }
        json.endArray()
        if let sample { json.member("sampled", sample) }
        json.endObject()
        return Response.json(json.bytes)
    }
}
