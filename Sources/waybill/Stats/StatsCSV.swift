import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding

/// Statistics as CSV (RFC 4180), one row for each step and value; no text of a message becomes a formula.
enum StatsCSV {
    private static let outcomes = Outcome.allCases.filter(\.isFinal).map(\.rawValue)

    /// The heading and the rows, without the ends of lines.
    static func lines(_ rows: [StatisticsRow], dimension: StatisticsQuery.Dimension?) -> [String] {
        let heading =
            ["time"] + (dimension.map { [$0.rawValue] } ?? []) + ["count"] + outcomes
            + ["latency_ms_p50_interpolated", "latency_ms_p95_interpolated"]
        return [heading.joined(separator: ",")]
            + rows.map { row in
                var cells = [row.start.map { TimeText.text(milliseconds: $0) } ?? ""]
                if dimension != nil { cells.append(DeliveryCSV.cell(row.value ?? "")) }
                cells += ["\(row.count)"] + outcomes.map { "\(row.outcomes[$0] ?? 0)" }
                cells += [0.5, 0.95].map { part in
                    LatencyBuckets.percentile(part, of: row.latency).map { "\(Int($0.rounded()))" } ?? ""
                }
                return cells.joined(separator: ",")
            }
    }
}
