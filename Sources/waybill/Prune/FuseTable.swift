import WaybillDeviceRegistry
import WaybillOperations

/// Fuses as a table for people.
struct FuseTable {
    /// Columns; `nil` cuts nothing.
    let width: Int?

    /// The heading and the lines.
    func lines(_ fuses: [FuseOverview]) -> [String] {
        let columns = [
            TextTable.Column(title: "LANE", keeps: true, cells: fuses.map(\.fuse.name.lane)),
            TextTable.Column(title: "APP", limits: [40, 32, 24, 16], cells: fuses.map(\.fuse.name.app)),
            TextTable.Column(title: "STATE", cells: fuses.map(\.fuse.state.rawValue)),
            TextTable.Column(title: "HELD NOW", alignsRight: true, cells: fuses.map { "\($0.held)" }),
            TextTable.Column(
                title: "SINCE",
                cut: .plain,
                limits: [19, 16, 16, 10],
                cells: fuses.map { String(DeliveryClock.text($0.fuse.cause.since).prefix(19)) }
            ),
            TextTable.Column(
                title: "DEAD WHEN BLOWN",
                limits: [32, 32, 24, 16],
                cells: fuses.map { "\($0.fuse.cause.invalid) of \($0.fuse.cause.answers)" }
            ),
            TextTable.Column(
                title: "REASON",
                limits: [24, 20, 16, 0],
                cells: fuses.map { $0.fuse.cause.reason ?? "" }
            ),
            TextTable.Column(
                title: "DECIDED",
                takesRest: true,
                cells: fuses.map { fuse in
                    guard let decision = fuse.fuse.decision else { return "" }
                    let note = decision.note.map { ": \($0)" } ?? ""
                    return "\(DeliveryClock.text(decision.date).prefix(16)) by \(decision.name)\(note)"
                }
            ),
        ]
        return TextTable(columns: columns).lines(width: width) { _, _, text in text }
    }
}
