import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding

/// Statistics as CSV (RFC 4180), one row for each step and value; no text of a message becomes a formula.
enum StatsCSV {
    private static let outcomes = Outcome.allCases.filter(\.isFinal).map(\.rawValue)
    private static let parts: [(name: String, part: Double)] = [("p50", 0.5), ("p95", 0.95)]

    /// The heading and the rows, without the ends of lines.
    static func lines(_ rows: [StatisticsRow], dimension: StatisticsQuery.Dimension?) -> [String] {
        let hasReceipts = rows.contains { $0.receipts != nil }
        var heading =
            ["time"] + (dimension.map { [$0.rawValue] } ?? []) + ["count"] + outcomes
            + ["latency_ms_p50_interpolated", "latency_ms_p95_interpolated", "latency_at_least"]
        if hasReceipts { heading += ["arrived"] + ReceiptEvent.allCases.map { "\($0.name)" } }
        return [heading.joined(separator: ",")]
            + rows.map { row in
                var cells = [row.start.map { TimeText.text(milliseconds: $0) } ?? ""]
                if dimension != nil { cells.append(CSVText.cell(row.value ?? "")) }
                cells += ["\(row.count)"] + outcomes.map { "\(row.outcomes[$0] ?? 0)" }
                let percentiles = parts.map { name, part in
                    (name: name, percentile: LatencyBuckets.percentile(part, of: row.latency))
                }
                cells += percentiles.map { $0.percentile.map { "\(Int($0.milliseconds.rounded()))" } ?? "" }
                // Which of them lie above all classes, so that their number is where the last one begins.
                cells.append(
                    percentiles.filter { $0.percentile?.isLowerBound == true }.map(\.name).joined(separator: " ")
                )
                if let receipts = row.receipts {
                    cells += (["\(receipts.arrived)"] + ReceiptEvent.allCases.map { "\(receipts[$0])" })
                }
                return cells.joined(separator: ",")
            }
    }
}
