import WaybillDeliveryLog

/// What an export takes its lines from: page by page, in an order in which it can go on.
struct ExportSource {
    /// What comes before the first line.
    var header: String
    /// Tells its filters from others, without its limits of time.
    var filters: String
    /// The lines of a page, with their line breaks, and where the next one begins, `nil` behind the last; from what an earlier
    /// page gave, or from the beginning.
    var page: (_ cursor: String?) throws -> (lines: [String], next: String?)
}

extension ExportSource {
    /// The records of the log, within the limits of time that a state holds.
    ///
    /// - Throws: ``CommandFailure`` for a state of other filters.
    static func deliveries(
        _ reader: DeliveryLogReader,
        _ query: DeliveryQuery,
        from state: ExportState,
        of path: String
    ) throws -> ExportSource {
        var query = query
        query.since = state.since
        query.until = state.until
        query.limit = nil
        if let cursor = state.cursor, reader.position(cursor, of: query) == nil { throw otherFilters(path) }
        return ExportSource(
            header: state.format == .csv ? DeliveryCSV.header : "",
            filters: String(reader.fingerprint(of: query), radix: 16)
        ) { [query] cursor in
            let page = try reader.exportPage(query, from: cursor.flatMap { reader.position($0, of: query) })
            let lines = page.records.map { record in
                state.format == .csv ? DeliveryCSV.line(record) : DeliveryJSON.line(record) + "\n"
            }
            return (lines, page.next?.text)
        }
    }

    static func otherFilters(_ path: String) -> CommandFailure {
        CommandFailure(.badInput, "the earlier export to \(path) had other filters")
    }
}

extension ExportRun {
    /// An export of records.
    ///
    /// - Parameters:
    ///   - reader: the log.
    ///   - query: what is exported; without an end it ends now.
    ///   - limits: those of the query, as they were given; dates where they are left out.
    ///   - format: how.
    ///   - path: the file.
    ///   - resumes: whether to go on where an earlier run has ended, if there is one.
    /// - Throws: ``CommandFailure``.
    init(
        reader: DeliveryLogReader,
        query: DeliveryQuery,
        limits: ExportLimits? = nil,
        format: ExportFormat,
        path: String,
        resumes: Bool
    ) throws {
        try self.init(
            format: format,
            path: path,
            resumes: resumes,
            limits: limits
                ?? ExportLimits(
                    since: query.since.map(GivenTime.init(milliseconds:)),
                    until: query.until.map(GivenTime.init(milliseconds:))
                )
        ) { state in
            try ExportSource.deliveries(reader, query, from: state, of: path)
        }
    }
}
