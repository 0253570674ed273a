import WaybillDeviceRegistry
import WaybillMongo
import WaybillTLS

extension ExportSource {
    private static let devicesOfAPage = 1000

    /// The devices of the registry, in the order of their documents' ids.
    ///
    /// - Throws: ``CommandFailure`` for a state of other filters.
    static func devices(
        _ reader: DeviceReader,
        _ query: DeviceQuery,
        from state: ExportState,
        of path: String
    ) throws -> ExportSource {
        var query = query
        // A time such as 30d is another one at every start.
        query.heardSince = state.since
        query.heardBefore = state.before
        let filters = String(SHA256Hasher.digest(of: query.fingerprint).hexadecimal.prefix(16))
        /// Where a page begins: the filters, and the id of the device before it.
        func place(_ cursor: String) -> BSONIdentifier? {
            let parts = cursor.split(separator: ".", maxSplits: 1)
            guard parts.count == 2, parts[0] == filters else { return nil }
            return BSONIdentifier(storedText: String(parts[1]))
        }
        if let cursor = state.cursor, place(cursor) == nil { throw otherFilters(path) }
        let header = state.format == .csv ? DeviceCSV.header : ""
        return ExportSource(header: header, filters: filters) { [query] cursor in
            let page = try reader.wholePage(query, after: cursor.flatMap(place), limit: devicesOfAPage)
            let lines = page.devices.map { device in
                state.format == .csv ? DeviceCSV.line(device) : device.json + "\n"
            }
            return (lines, (page.isLast ? nil : page.after).map { "\(filters).\($0.storedText)" })
        }
    }
}

extension ExportRun {
    /// An export of devices; the parameters are as those of one of records.
    init(
        reader: DeviceReader,
        query: DeviceQuery,
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
                    since: query.heardSince.map(GivenTime.init(milliseconds:)),
                    before: query.heardBefore.map(GivenTime.init(milliseconds:))
                )
        ) { state in
            try ExportSource.devices(reader, query, from: state, of: path)
        }
    }
}
