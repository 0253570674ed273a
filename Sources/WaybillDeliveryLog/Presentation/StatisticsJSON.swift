import WaybillEncoding

/// Writes statistics as NDJSON, one row to a line; the same wherever they are asked for.
package enum StatisticsJSON {
    /// The percentiles that are told.
    private static let parts: [(name: String, part: Double)] = [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)]

    /// One JSON object, without a line break.
    ///
    /// - Parameters:
    ///   - row: what was counted.
    ///   - dimension: what the rows are divided by; the value has its name, and is null where records have none.
    /// - Returns: the text.
    package static func line(_ row: StatisticsRow, dimension: StatisticsQuery.Dimension?) -> String {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        if let start = row.start {
            json.name("time")
            json.element(TimeText.text(milliseconds: start))
        }
        if let dimension {
            json.name(dimension.rawValue)
            if let value = row.value { json.element(value) } else { json.null() }
        }
        json.name("count")
        json.element(row.count)
        json.name("outcomes")
        json.beginObject()
        for (outcome, count) in row.outcomes.sorted(by: { $0.key < $1.key }) {
            json.name(outcome)
            json.element(count)
        }
        json.endObject()
        if row.latency.contains(where: { $0 > 0 }) {
            // Of classes, not of single answers: what lies in between is interpolated, and is named so.
            json.name("latency_ms_interpolated")
            let percentiles = parts.compactMap { name, part in
                LatencyBuckets.percentile(part, of: row.latency).map { (name: name, percentile: $0) }
            }
            json.beginObject()
            for (name, percentile) in percentiles {
                json.name(name)
                json.element(Self.rounded(percentile.milliseconds))
            }
            json.endObject()
            let bounds = percentiles.filter(\.percentile.isLowerBound)
            if !bounds.isEmpty {
                json.beginArray("latency_at_least")
                for (name, _) in bounds { json.element(name) }
                json.endArray()
            }
        }
        if let receipts = row.receipts { json.member("receipts", json: receipts.json.utf8) }
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// To tenths: more would be a precision that there is not.
    private static func rounded(_ number: Double) -> Double { (number * 10).rounded() / 10 }
}
