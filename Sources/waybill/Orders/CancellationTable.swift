import WaybillCore
import WaybillFleet

/// Cancellations as a table for people: those that hold, the latest first, then those that were lifted.
struct CancellationTable {
    /// Columns; `nil` cuts nothing.
    let width: Int?

    private struct Row {
        let order: Cancellation
        let lifted: OrderSource?
    }

    /// The heading and the lines; none where nothing was ever cancelled.
    func lines(_ cancellations: [Cancellation], lifted: [LiftedCancellation]) -> [String] {
        let rows =
            cancellations.map { Row(order: $0, lifted: nil) }
            + lifted.map { Row(order: $0.cancellation, lifted: $0.source) }
        guard !rows.isEmpty else { return [] }
        let columns = [
            TextTable.Column(
                title: "BATCH",
                cut: .middle,
                limits: [40, 32, 24, 16],
                keeps: true,
                cells: rows.map(\.order.batch.name)
            ),
            TextTable.Column(title: "STATE", cells: rows.map { $0.lifted == nil ? "cancelled" : "lifted" }),
            TextTable.Column(title: "CLIENT", limits: [24, 20, 16, 12], cells: rows.map { $0.order.client ?? "all" }),
            // To the second, to the minute, or the day alone.
            TextTable.Column(
                title: "AT",
                cut: .plain,
                limits: [19, 16, 16, 10],
                cells: rows.map { String(DeliveryClock.text(($0.lifted ?? $0.order.source).date).prefix(19)) }
            ),
            TextTable.Column(
                title: "BY",
                limits: [32, 24, 16, 12],
                cells: rows.map { ($0.lifted ?? $0.order.source).name }
            ),
            TextTable.Column(title: "NOTE", takesRest: true, cells: rows.map(Self.note)),
        ]
        return TextTable(columns: columns).lines(width: width) { _, _, text in text }
    }

    /// Each note beside who wrote it: of one that was lifted, what the other columns do not say of the cancellation.
    private static func note(_ row: Row) -> String {
        let order = row.order.source
        guard let lifted = row.lifted else { return order.note ?? "" }
        let before = "was cancelled by \(order.name)" + (order.note.map { ": \($0)" } ?? "")
        return (lifted.note.map { "\($0); " } ?? "") + before
    }
}
