import WaybillAMQP
import WaybillMessages
import WaybillOperations

/// Rejected messages as a table for people: one line each.
struct RejectedTable {
    /// Columns; `nil` cuts nothing.
    let width: Int?

    /// The heading and the lines.
    func lines(_ messages: [RejectedMessage]) -> [String] {
        let whole = Int.max
        let columns = [
            TextTable.Column(title: "#", alignsRight: true, cells: messages.map { "\($0.position)" }),
            TextTable.Column(title: "REASON", limits: [24, 20, 20, 14], cells: messages.map(\.rejection.reason)),
            TextTable.Column(
                title: "BYTES",
                alignsRight: true,
                limits: [whole, whole, 0, 0],
                cells: messages.map { "\($0.delivery.body.count)" }
            ),
            // To the second, to the minute, or the day alone.
            TextTable.Column(
                title: "FIRST SEEN",
                cut: .plain,
                limits: [19, 19, 16, 10],
                cells: messages.map { String(($0.firstSeen ?? "").prefix(19)).replacing("T", with: " ") }
            ),
            TextTable.Column(
                title: "ID",
                cut: .middle,
                limits: [36, 24, 16, 13],
                keeps: true,
                cells: messages.map(\.id)
            ),
            TextTable.Column(title: "WHOSE", limits: [48, 24, 14, 0], cells: messages.map(\.whose)),
            TextTable.Column(title: "DETAIL", takesRest: true, cells: messages.map { $0.rejection.detail ?? "" }),
        ]
        return TextTable(columns: columns).lines(width: width) { _, _, text in text }
    }
}
