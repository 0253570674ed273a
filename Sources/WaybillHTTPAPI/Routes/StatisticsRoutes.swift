import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding
import WaybillMongo
import WaybillOperations
import WaybillThreads

/// How many notifications ended how, over time.
struct StatisticsRoutes: Sendable {
    let backend: APIBackend
    let store: StoreWorkers

    /// How long an answer may take.
    private static let patience = Duration.seconds(12)
    private static let day: Int64 = 86_400_000
    /// The longest step, a week, in minutes.
    private static let longestStep: Int64 = 7 * 24 * 60

    var endpoints: [Endpoint] {
        [
            Endpoint(
                method: .get,
                path: "/v1/stats",
                action: .readDeliveries,
                parameters: DeliveryFilters.counted.union(["every", "by", "receipts"]),
                answer: series
            )
        ]
    }

    /// Rows by step and value: `{"rows": […], "minutes_in_doubt": …}`; without any perhaps a `hint`.
    private func series(_ request: APIRequest) async throws -> Response {
        let query = try query(request.query)
        let countsReceipts = try countsReceipts(request.query)
        let (log, scope) = (backend.log, request.caller.scope)
        let series = try await store.ask(for: request) { client throws(MongoError) in
            let end = ContinuousClock.now + Self.patience
            var series = try StatisticsReader(client: client, database: log.database, scope: scope).series(query)
            guard countsReceipts else { return series }
            let said = ReceiptStatistics(client: client, options: log, scope: scope)
            try said.add(to: &series, query, within: end - .now)
            return series
        }
        var json = JSONWriter(capacity: 256 * (series.rows.count + 1))
        json.beginObject()
        json.beginArray("rows")
        for row in series.rows { json.element(json: StatisticsJSON.line(row, dimension: query.dimension).utf8) }
        json.endArray()
        if series.isCut { json.member("is_cut", json: "true".utf8) }
        json.member("minutes_in_doubt", series.minutesInDoubt)
        if let until = series.wholeHoursUntil { json.member("whole_hours_until", TimeText.text(milliseconds: until)) }
        if let until = series.wholeDaysUntil { json.member("whole_days_until", TimeText.text(milliseconds: until)) }
        if series.rows.isEmpty {
            let names = NameHint(backend: backend, store: store)
            json.member("hint", await names.text(try DeliveryFilters(request.query).query, request))
        }
        json.endObject()
        return Response.json(json.bytes)
    }

    /// The last 24 hours by default, in whole steps.
    private func query(_ text: QueryText) throws(Problem) -> StatisticsQuery {
        let filters = try DeliveryFilters(text).query
        guard (filters.outcomes + filters.excludedOutcomes).allSatisfy(\.isFinal) else {
            throw Problem(.badRequest, "outcome is a final one here; nothing else is counted")
        }
        let step = try step(text)
        let until = filters.until ?? WallClock.milliseconds()
        let since = filters.since ?? until - Self.day
        guard since < until else { throw Problem(.badRequest, "since must be earlier than until") }
        let length = step * 60_000
        return StatisticsQuery(
            since: since / length * length,
            until: until,
            step: step,
            dimension: try dimension(text),
            client: filters.client,
            lane: filters.lane,
            topic: filters.topic,
            pushType: filters.pushType,
            reason: filters.reason,
            outcomes: filters.outcomes,
            excludedOutcomes: filters.excludedOutcomes
        )
    }

    private func countsReceipts(_ text: QueryText) throws(Problem) -> Bool {
        switch try text.value("receipts") {
        case nil, "false"?: false
        case "true"?: true
        default: throw Problem(.badRequest, "receipts must be true or false")
        }
    }

    private func step(_ text: QueryText) throws(Problem) -> Int64 {
        guard let value = try text.value("every") else { return 60 }
        guard let duration = DurationText.parse(value), case let seconds = duration.components.seconds,
            duration == .seconds(seconds), seconds % 60 == 0, (1...Self.longestStep).contains(seconds / 60)
        else { throw Problem(.badRequest, "every must be whole minutes, 1m to 1w, such as 5m, 1h or 1d") }
        return seconds / 60
    }

    private func dimension(_ text: QueryText) throws(Problem) -> StatisticsQuery.Dimension? {
        guard let value = try text.value("by") else { return nil }
        if let dimension = StatisticsQuery.Dimension(rawValue: value) { return dimension }
        let words = StatisticsQuery.Dimension.allCases.map(\.rawValue).joined(separator: ", ")
        throw Problem(.badRequest, "by must be one of \(words)")
    }
}
