import WaybillMongo

/// The devices behind one id and up to another one: what one question looks at.
///
/// Where few of many devices match, a question that looked for all of them, or for a page's, would take longer the larger the
/// registry is, and end at its time limit.
struct DeviceStretch {
    /// `nil`: from the first one on.
    var after: BSONIdentifier?
    /// The last one's; `nil`: all that are left.
    var end: BSONIdentifier?

    /// What of a query is in it.
    func filter(_ query: DeviceQuery) -> BSONDocument {
        BSONDocument { writer in
            query.append(to: writer)
            append(to: writer)
        }
    }

    func append(to writer: BSONWriter) {
        guard after != nil || end != nil else { return }
        writer.append("_id") { range in
            if let after { range.append("$gt", identifier: after) }
            if let end { range.append("$lte", identifier: end) }
        }
    }
}

extension DeviceQuery {
    /// Whether an index of the registry leads to the few that it means.
    var isNarrow: Bool {
        token != nil || user != nil || device != nil || owners != nil || !ownersByApp.isEmpty
    }

    /// What an index leads through in the order of the ids: the apps' devices that may be pushed to, or else all.
    private var lead: DeviceQuery? {
        guard isEnabled != nil, app != nil || !apps.isEmpty else { return nil }
        var lead = DeviceQuery(app: app, isEnabled: isEnabled)
        lead.apps = apps
        return lead
    }

    /// Whether devices that the index leads to may not match.
    var asksMore: Bool { self != lead }

    /// The query's devices and those between them, by the index alone.
    func appendLead(to writer: BSONWriter) {
        guard let lead else { return }
        if let app { writer.append(DeviceRegistry.Field.app, string: app) }
        lead.appendApps(to: writer)
        if let isEnabled { writer.append(DeviceRegistry.Field.enabled, bool: isEnabled) }
    }
}

extension DeviceReader {
    /// When the server should give up finding an end.
    private static let maximumTime = Duration.seconds(8)

    /// Where the stretch behind a device ends.
    ///
    /// - Returns: `nil` where it is the last one.
    /// - Throws: what the store says.
    func end(
        _ query: DeviceQuery,
        after: BSONIdentifier?,
        stretch: Int? = nil
    ) throws(MongoError) -> BSONIdentifier? {
        let cursor = collection.aggregate(
            Self.looked(query, after: after) + [
                BSONDocument { $0.append("$skip", int: (stretch ?? self.stretch) - 1) },
                BSONDocument { $0.append("$limit", int: 1) },
                BSONDocument { stage in stage.append("$project") { $0.append("_id", int: 1) } },
            ],
            maximumTime: Self.maximumTime,
            readsMajority: true
        )
        return try cursor.next()?.identifier("_id")
    }

    /// The stages that lead through what a query looks at.
    static func looked(_ query: DeviceQuery, after: BSONIdentifier?) -> [BSONDocument] {
        let match = BSONDocument { stage in
            stage.append("$match") { writer in
                query.appendLead(to: writer)
                DeviceStretch(after: after).append(to: writer)
            }
        }
        return [match, BSONDocument { stage in stage.append("$sort") { $0.append("_id", int: 1) } }]
    }
}
