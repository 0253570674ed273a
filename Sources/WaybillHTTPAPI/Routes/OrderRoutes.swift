import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding
import WaybillFleet
import WaybillMongo
import WaybillOperations

/// Lanes, and orders: to lanes, and to send nothing more of a batch.
struct OrderRoutes: Sendable {
    let backend: APIBackend
    let store: StoreWorkers

    private static let states: [(word: String, state: LaneOrder.State, action: AuditEntry.Action)] = [
        ("pause", .paused, .lanePause), ("drain", .draining, .laneDrain), ("resume", .open, .laneResume),
    ]

    var endpoints: [Endpoint] {
        [Endpoint(method: .get, path: "/v1/lanes", action: .readStatus, answer: lanes)]
            + Self.states.map { word, state, action in
                Endpoint(
                    method: .post,
                    path: "/v1/lanes/{lane}/\(word)",
                    action: .orderLanes,
                    members: ["note"],
                    answer: { try await order(state, action, $0) }
                )
            } + [
                Endpoint(
                    method: .post,
                    path: "/v1/batches/{batch_id}/cancel",
                    action: .cancelBatches,
                    members: CancelRequest.members,
                    answer: cancel
                ),
                Endpoint(
                    method: .delete,
                    path: "/v1/batches/{batch_id}/cancel",
                    action: .cancelBatches,
                    parameters: LiftRequest.parameters,
                    bodyRefusal: LiftRequest.bodyRefusal,
                    answer: lift
                ),
                Endpoint(method: .get, path: "/v1/cancellations", action: .readDeliveries, answer: cancellations),
            ]
    }

    /// Every lane in each dispatcher, with the last order: `{"lanes": […]}`.
    private func lanes(_ request: APIRequest) async throws -> Response {
        let database = backend.log.database
        let lanes = try await store.ask(for: request) { client throws(MongoError) in
            try LaneControl(client: client, database: database).lanes()
        }
        var json = JSONWriter(capacity: 512 * (lanes.count + 1))
        json.beginObject()
        json.beginArray("lanes")
        for lane in lanes { json.element(json: LaneJSON.text(lane).utf8) }
        json.endArray()
        json.endObject()
        return Response.json(json.bytes)
    }

    /// Gives a lane an order, which dispatchers follow within seconds: 202 with the lane; 404 for one that nobody has.
    private func order(_ state: LaneOrder.State, _ action: AuditEntry.Action, _ request: APIRequest) async throws
        -> Response
    {
        let source = try request.body.form { body, checks in
            checks.read("note") { () throws(Problem) in try OrderSource(request, note: body.value("note")) }
        }
        let order = LaneOrder(lane: try request.named(), state: state, source: source)
        let (database, configured) = (backend.log.database, backend.lanes)
        let entry = AuditEntry(action, request, subject: order.lane)
        let answer = try await store.ask(for: request) { client throws(MongoError) in
            let answer = try LaneControl(client: client, database: database).give(order, configured: configured)
            if case .given = answer { try AuditWriter(client: client, database: database).write(entry) }
            return answer
        }
        switch answer {
        case .given(let lane): return Response.json(Array(LaneJSON.text(lane).utf8), status: .accepted)
        case .unknown(let unknown): throw Problem(.notFound, unknown.words(for: order.lane))
        }
    }

    /// The cancellations that hold, and those that were lifted, as far as the key sees, the latest first.
    private func cancellations(_ request: APIRequest) async throws -> Response {
        let database = backend.log.database
        let orders = try await store.ask(for: request) { client throws(MongoError) in
            try OrderReader(client: client, database: database).orders()
        }
        let scope = request.caller.scope
        let seen = orders.cancelled.filter { scope.includes(client: $0.client) }
        let lifted = orders.lifted.filter { scope.includes(client: $0.cancellation.client) }
        return Response.json(CancellationJSON.list(seen, lifted: lifted))
    }

    /// Sends nothing more of a batch, of those clients that the key is for: 202 with the order.
    private func cancel(_ request: APIRequest) async throws -> Response {
        let wanted = try CancelRequest(request)
        let (options, scope, posted) = (backend.log, request.caller.scope, backend.posted)
        let entry = AuditEntry(.batchCancel, request, subject: wanted.batch)
        let given = try await store.ask(for: request) { client throws(MongoError) in
            let given = try BatchCancellation(
                wanted.orders,
                scope: scope,
                store: client,
                options: options,
                clients: posted
            )
            if given.excess == nil { try AuditWriter(client: client, database: options.database).write(entry) }
            return given
        }
        if let excess = given.excess { throw Problem(.conflict, "\(excess)") }
        return Response.json(wanted.json(given), status: .accepted)
    }

    /// Sends what waits of a cancelled batch after all: 202 with what was lifted, and what still holds; 404 where the key sees no cancellation.
    private func lift(_ request: APIRequest) async throws -> Response {
        let wanted = try LiftRequest(request)
        let (options, scope, posted) = (backend.log, request.caller.scope, backend.posted)
        let entry = AuditEntry(.batchLift, request, subject: wanted.batch)
        let lift = try await store.ask(for: request) { store throws(MongoError) in
            let lift = try CancellationLift(
                batch: wanted.batch,
                client: wanted.client,
                source: wanted.source,
                scope: scope,
                store: store,
                options: options,
                clients: posted
            )
            if !lift.lifted.isEmpty { try AuditWriter(client: store, database: options.database).write(entry) }
            return lift
        }
        guard !lift.lifted.isEmpty else {
            let still = lift.stillCancelled.isEmpty ? "" : "; it is cancelled \(lift.whatStillHolds())"
            throw Problem(.notFound, "no cancellation of this batch itself holds that is this key's to lift\(still)")
        }
        return Response.json(CancellationJSON.lift(lift, seenBy: scope), status: .accepted)
    }
}
