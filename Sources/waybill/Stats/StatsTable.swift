import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding

/// Statistics as a table: a line for each step and value, and a bar that shows how it compares.
struct StatsTable {
    let query: StatisticsQuery
    /// Columns; `nil` where nothing is cut, and no bar is drawn.
    let width: Int?
    let palette: Palette

    private static let barColumns = 24
    private static let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

    /// Lines without their ends.
    func lines(_ rows: [StatisticsRow]) -> [String] {
        guard !rows.isEmpty else { return [] }
        let most = rows.reduce(0) { max($0, $1.count) }
        var columns = [
            TextTable.Column(title: "TIME", cut: .plain, limits: [16, 16, 16, 16], cells: rows.map(time))
        ]
        if let dimension = query.dimension {
            let title = dimension.rawValue.uppercased().replacing("_", with: " ")
            columns.append(
                TextTable.Column(title: title, limits: [40, 32, 24, 16], cells: rows.map { $0.value ?? "-" })
            )
        }
        columns += [
            number("COUNT", rows) { "\($0.count)" },
            number("ACCEPTED", rows) { "\(percent($0))" },
        ]
        if rows.contains(where: { $0.receipts != nil }) {
            // In the place of the latencies: who asks for these asks for the devices.
            columns += [
                number("ARRIVED", rows) { "\($0.receipts?.arrived ?? 0)" },
                number("OPENED", rows, limits: [9, 9, 9, 0]) { "\($0.receipts?[.opened] ?? 0)" },
                number("ACKED", rows, limits: [9, 9, 9, 0]) { "\($0.receipts?[.acknowledged] ?? 0)" },
            ]
        } else {
            columns += [
                number("P50", rows) { milliseconds($0, 0.5) },
                number("P95", rows) { milliseconds($0, 0.95) },
            ]
        }
        if width != nil {
            columns.append(
                TextTable.Column(title: "", limits: [24, 16, 8, 0], cells: rows.map { Self.bar($0.count, of: most) })
            )
        }
        return TextTable(columns: columns).lines(width: width) { row, title, text in
            guard let row else { return palette.dim(text) }
            return title.isEmpty
                ? palette.outcome(rows[row].accepted == rows[row].count ? "accepted" : "unknown", text: text) : text
        }
    }

    private func number(
        _ title: String,
        _ rows: [StatisticsRow],
        limits: [Int] = [],
        _ text: (StatisticsRow) -> String
    ) -> TextTable.Column {
        TextTable.Column(title: title, alignsRight: true, limits: limits, cells: rows.map(text))
    }

    /// To the minute, in UTC.
    private func time(_ row: StatisticsRow) -> String {
        guard let start = row.start else { return "" }
        return String(TimeText.text(milliseconds: start).prefix(16)).replacing("T", with: " ")
    }

    /// Never 100 for less than all, nor 0 for more than nothing.
    private func percent(_ row: StatisticsRow) -> String {
        let tenths = row.count == 0 ? 0 : row.accepted * 1000 / row.count
        guard tenths < 1000 else { return "100 %" }
        return tenths == 0 && row.accepted > 0 ? "<0.1 %" : "\(tenths / 10).\(tenths % 10) %"
    }

    private func milliseconds(_ row: StatisticsRow, _ part: Double) -> String {
        guard let percentile = LatencyBuckets.percentile(part, of: row.latency) else { return "" }
        // What lies in the last class may be any time: its beginning is no answer's.
        guard !percentile.isLowerBound else { return "over \(Int(percentile.milliseconds) / 1000) s" }
        return "\(Int(percentile.milliseconds.rounded())) ms"
    }

    /// Full blocks and one of eighths.
    static func bar(_ count: Int, of most: Int) -> String {
        guard most > 0 else { return "" }
        let eighths = max(count > 0 ? 1 : 0, count * barColumns * 8 / most)
        return String(repeating: "█", count: eighths / 8) + self.eighths[eighths % 8]
    }
}
