import WaybillCore
import WaybillDeliveryLog
import WaybillMongo
import WaybillOutbox

/// Records, as the log has them: what became of notifications.
struct RecordStream: WebhookStream {
    static let work = WebhookProgress.Work.log
    static let turnEvent: WebhookLogEvent? = .readsLog

    private static let batchSize = 500

    private let tail: DeliveryTail
    private let hasPlainTokens: Bool

    init(_ store: WebhookStore, from position: String?, second: Int64) {
        hasPlainTokens = store.settings.hasPlainTokens
        tail = DeliveryTail(
            client: store.client,
            // Nothing is searched by token, and nothing written.
            options: DeliveryLogOptions(database: store.database, retention: RetentionPolicy(default: .keep)),
            // Whoever has endpoints: the store goes on only behind a record that the same search finds.
            scope: .all,
            query: DeliveryQuery(excludedOutcomes: [.deferred])
        )
        if position.map(tail.resume(from:)) != true { tail.resume(fromSecond: second) }
    }

    static func isWanted(by endpoint: WebhookEndpoint) -> Bool { true }

    func next(
        for endpoints: () throws(MongoError) -> [WebhookEndpoint],
        at place: inout WebhookProgress.Place
    ) throws(MongoError) -> WebhookFindings {
        let batch = try tail.next(showing: Self.batchSize, isLast: true, within: .seconds(1))
        let events =
            batch.records.isEmpty ? [] : events(of: batch.records, for: try endpoints(), numbering: &place)
        place.position = tail.position ?? place.position
        return WebhookFindings(events: events, hasGap: batch.hasGap)
    }

    /// The events of records, each for those who want it, with the next numbers of their clients and services.
    private func events(
        of records: [LoggedDelivery],
        for endpoints: [WebhookEndpoint],
        numbering place: inout WebhookProgress.Place
    ) -> [(event: WebhookEvent, endpoint: String)] {
        var events: [(event: WebhookEvent, endpoint: String)] = []
        let byOwner = Dictionary(grouping: endpoints, by: \.owner)
        for record in records {
            for owner in record.owners {
                guard let endpoints = byOwner[owner] else { continue }
                for type in WebhookEventType.types(of: record) {
                    let sequence = place.sequences[owner, default: 0] + 1
                    guard
                        let event = WebhookEvent(
                            type,
                            of: record,
                            for: owner,
                            sequence: sequence,
                            hasPlainTokens: hasPlainTokens
                        )
                    else { continue }
                    place.sequences[owner] = sequence
                    for endpoint in endpoints where endpoint.wants(type) { events.append((event, endpoint.id)) }
                }
            }
        }
        return events
    }
}
