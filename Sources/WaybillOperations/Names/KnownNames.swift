import WaybillCore
package import WaybillDeliveryLog
import WaybillEncoding
import WaybillFleet
package import WaybillMongo
import WaybillThreads

/// Which lanes, clients, reasons, topics and push types an installation has, as far as that can be told at once: by what its processes say of themselves,
/// and by the statistics of a day.
///
/// For an answer that is empty, or leaves nothing out, because of a slip of the pen.
///
/// *Thread:* its client's. *Blocking:* for each kind of name as long as the patience at the most.
package struct KnownNames {
    /// Where statistics are looked at, in milliseconds.
    private static let day: Int64 = 86_400_000
    /// More are not listed.
    private static let most = 20

    private let client: MongoClient
    private let database: String
    private let scope: DeliveryScope
    private let patience: Duration

    /// - Parameters:
    ///   - client: the store.
    ///   - database: where Waybill's collections are.
    ///   - scope: whose names may be told.
    ///   - patience: how long the statistics are asked; where they take longer, there is no hint.
    package init(client: MongoClient, database: String, scope: DeliveryScope, patience: Duration = .seconds(2)) {
        self.client = client
        self.database = database
        self.scope = scope
        self.patience = patience
    }

    /// Which of the names that are wanted or left out nobody knows, and which there are.
    ///
    /// - Returns: half a sentence; `nil` where all are known, and where nothing is.
    package func hint(
        lane: TextFilter = .all,
        client: TextFilter = .all,
        reason: TextFilter = .all,
        topic: TextFilter = .all,
        pushType: TextFilter = .all
    ) -> String? {
        var parts: [String] = []
        if !lane.isEmpty {
            let known = Set(exactly: counted(.lane) + lanesOfProcesses)
            // Whoever sees some clients alone is not told of what others have.
            let doubt =
                scope == .all ? "nobody has a lane" : "nothing of your clients was counted in 24 hours for a lane"
            parts += Self.text(lane.names, among: known, doubt)
        }
        if !client.isEmpty {
            let known = Set(exactly: counted(.client))
            parts += Self.text(client.names, among: known, "nothing was counted in 24 hours for a client")
        }
        for (filter, dimension) in [(reason, .reason), (topic, .topic), (pushType, .pushType)]
            as [(TextFilter, StatisticsQuery.Dimension)] where !filter.isEmpty
        {
            let known = Set(exactly: counted(dimension))
            let word = dimension.rawValue.replacing("_", with: " ")
            parts += Self.text(filter.names, among: known, "nothing was counted in 24 hours with a \(word)")
        }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    /// As ``hint(lane:client:reason:topic:pushType:)``, for what a search asks for, and of its batch whether anything is recorded.
    package func hint(_ query: DeliveryQuery) -> String? {
        let names = hint(
            lane: query.lane,
            client: query.client,
            reason: query.reason,
            topic: query.topic,
            pushType: query.pushType
        )
        let parts = [query.batch.flatMap(unknown), names].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    /// As ``hint(_:)``, for the names that are left out.
    package func hint(leftOutBy query: DeliveryQuery) -> String? {
        hint(
            lane: query.lane.exclusions,
            client: query.client.exclusions,
            reason: query.reason.exclusions,
            topic: query.topic.exclusions,
            pushType: query.pushType.exclusions
        )
    }

    /// The lanes for which something was counted in the last 24 hours.
    package var countedLanes: Set<String> { Set(counted(.lane)) }

    /// Nothing is known of other batches: their names are looked for by nobody but who has them.
    private func unknown(_ batch: BatchName) -> String? {
        let options = DeliveryLogOptions(database: database, retention: RetentionPolicy(default: .keep))
        let reader = DeliveryLogReader(client: client, options: options, scope: scope, maximumTime: patience)
        guard let page = try? reader.page(DeliveryQuery(batch: batch, limit: 1)), page.records.isEmpty,
            page.next == nil
        else { return nil }
        return
            "nothing is recorded of a batch \(batch.name): a batch_id is found as it was published, and capitals count"
    }

    /// - Returns: one text, or none where each name is known, or nothing is.
    static func text(_ names: [String], among known: Set<ExactName>, _ doubt: String) -> [String] {
        let unknown = names.filter { !known.containsExactly($0) }
        guard !unknown.isEmpty, !known.isEmpty else { return [] }
        let more = known.count > most ? ", and \(known.count - most) more" : ""
        let list = known.sortedTexts.prefix(most).joined(separator: ", ")
        return ["\(doubt) \(unknown.joined(separator: ", ")); known: \(list)\(more)"]
    }

    /// What was counted lately; nothing where the store does not say.
    private func counted(_ dimension: StatisticsQuery.Dimension) -> [String] {
        let now = WallClock.milliseconds()
        let query = StatisticsQuery(since: now - Self.day, until: now, dimension: dimension)
        let reader = StatisticsReader(client: client, database: database, scope: scope)
        return (try? reader.series(query, within: patience).rows.compactMap(\.value)) ?? []
    }

    /// What processes say is about the whole installation.
    private var lanesOfProcesses: [String] {
        guard scope == .all else { return [] }
        let leases = (try? LeaseReader(client: client, database: database).leases()) ?? []
        return leases.flatMap { ProcessReport($0).lanes ?? [] }.map(\.name)
    }
}

extension TextFilter {
    /// What somebody has typed, wanted or left out.
    fileprivate var names: [String] { values + excluded }

    /// What is left out, alone.
    package var exclusions: TextFilter { TextFilter(excluding: excluded) }
}
