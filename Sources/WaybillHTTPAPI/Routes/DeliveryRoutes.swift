import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillCore
import WaybillDeliveryLog
import WaybillMongo
import WaybillTLS
import WaybillThreads

/// Records of pushes.
struct DeliveryRoutes: Sendable {
    let backend: APIBackend
    let store: StoreWorkers
    let places: StreamPlaces
    let cursors: CursorSeal

    /// An id names one record, and at most one more of a notification that could not have it.
    private static let mostOfOneID = 10
    /// The records of a page, when nothing is said.
    private static let customary = 50

    var endpoints: [Endpoint] {
        [
            Endpoint(
                method: .get,
                path: "/v1/deliveries",
                action: .readDeliveries,
                parameters: DeliveryFilters.names.union(["limit", "cursor"]),
                answer: page
            ),
            Endpoint(method: .get, path: "/v1/deliveries/{apns_id}", action: .readDeliveries, answer: one),
        ]
    }

    /// What the log has of one apns-id: `{"deliveries": […]}`, 404 for none.
    private func one(_ request: APIRequest) async throws -> Response {
        guard let id = NotificationID(try request.named()) else {
            throw Problem(.badRequest, "an apns-id is a UUID, 8-4-4-4-12 hexadecimal digits")
        }
        let page = try await read(
            DeliveryQuery(id: id, limit: Self.mostOfOneID),
            request,
            until: request.context.deadline
        ) { _ in
            nil
        }
        guard !page.records.isEmpty else { throw Problem(.notFound, "the log has no record of this apns-id") }
        return Self.answer(page, request)
    }

    /// A page of records: `{"deliveries": […], "next": …}`, an empty one perhaps with a `hint`; or page after page, as NDJSON or CSV.
    ///
    /// The time is up before the page is full where hardly anything matches: then it has what was found, and `next` goes on.
    private func page(_ request: APIRequest) async throws -> Response {
        let format = DeliveryFormat(accept: request.head.headerFields[.accept])
        var filters = try DeliveryFilters(request.query)
        let limit = try DeliveryFilters.number("limit", request.query, in: 1...APILimits.streamRecords)
        filters.query.limit =
            limit.map { min($0, DeliveryPage.mostRecords) }
            ?? (format == .json ? Self.customary : DeliveryPage.mostRecords)
        if let token = filters.token {
            try await LookUpAudit(database: backend.log.database, store: store).note(token, request)
        }
        let query = filters.query
        let place = format == .json ? nil : try places.take(request.caller.key.id)
        let seal = try await cursors.ready(request)
        // Who has page after page sent waits for all of them, and not for each.
        let patience = format == .json ? DeliveryPage.customaryPatience : DeliveryPage.longestTime
        let first = try await firstPage(query, request, seal, patience)
        guard let place else {
            let hint =
                first.records.isEmpty
                ? await NameHint(backend: backend, store: store).text(query, request) : nil
            return Self.answer(first, request, order: first.order, next: first.next.map(seal.cursor), hint: hint)
        }
        let stream = DeliveryStream(
            format: format,
            seal: seal,
            tokens: request.caller.may(.readTokens) ? .whole : .lastFour,
            first: first,
            most: limit ?? APILimits.streamRecords,
            channel: request.context.channel,
            refusals: request.context.refusals,
            place: place,
            read: { next, count async throws(Problem) in
                var rest = query
                rest.limit = count
                let deadline = MonotonicTime.now().advanced(by: APILimits.handlingTime)
                return try await read(rest, request, until: deadline) { _ in next }
            }
        )
        return Response(
            status: .ok,
            headers: [.contentType: format.contentType],
            body: ResponseBody(asyncSequence: stream)
        )
    }

    private func firstPage(
        _ query: DeliveryQuery,
        _ request: APIRequest,
        _ seal: Seal,
        _ patience: Duration
    ) async throws(Problem) -> DeliveryPage {
        let deadline = request.context.deadline
        guard let cursor = try request.query.value("cursor") else {
            return try await read(query, request, until: deadline, patience: patience) { _ in nil }
        }
        return try await read(query, request, until: deadline, patience: patience) { reader throws(Problem) in
            guard let position = seal.position(cursor).flatMap({ reader.position($0, of: query) }) else {
                throw Problem.refused(
                    .forgedCursor,
                    "the cursor is of another search; only since, until and limit may differ"
                )
            }
            return position
        }
    }

    private func read(
        _ query: DeliveryQuery,
        _ request: APIRequest,
        until deadline: MonotonicTime,
        patience: Duration = DeliveryPage.longestTime,
        from position: @escaping @Sendable (DeliveryLogReader) throws(Problem) -> DeliveryPosition?
    ) async throws(Problem) -> DeliveryPage {
        let (options, scope) = (backend.log, request.caller.scope)
        let page = try await store.ask(for: request, until: deadline) {
            client throws(MongoError) -> Result<DeliveryPage, Problem> in
            let reader = DeliveryLogReader(client: client, options: options, scope: scope)
            let start: DeliveryPosition?
            do throws(Problem) {
                start = try position(reader)
            } catch {
                return .failure(error)
            }
            return .success(try reader.page(query, from: start, patience: patience))
        }
        return try page.get()
    }

    private static func answer(
        _ page: DeliveryPage,
        _ request: APIRequest,
        order: DeliveryPage.Order? = nil,
        next: String? = nil,
        hint: String? = nil
    ) -> Response {
        let tokens: DeliveryJSON.Tokens = request.caller.may(.readTokens) ? .whole : .lastFour
        return Response.json(DeliveryJSON.page(page.records, tokens: tokens, order: order, next: next, hint: hint))
    }
}
