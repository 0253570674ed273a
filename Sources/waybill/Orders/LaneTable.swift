import WaybillEncoding
import WaybillFleet
import WaybillOperations
import WaybillThreads

/// Lanes as a table for people: one line for each dispatcher that has it.
struct LaneTable {
    /// Columns; `nil` cuts nothing.
    let width: Int?
    /// Milliseconds since 1970.
    var now = WallClock.milliseconds()

    private struct Row {
        let lane: LaneOverview
        let place: LaneOverview.Place?
    }

    /// The heading and the lines.
    func lines(_ lanes: [LaneOverview]) -> [String] {
        let rows = lanes.flatMap { lane in
            lane.places.isEmpty ? [Row(lane: lane, place: nil)] : lane.places.map { Row(lane: lane, place: $0) }
        }
        let columns = [
            TextTable.Column(title: "LANE", keeps: true, cells: rows.map(\.lane.name)),
            TextTable.Column(title: "STATE", limits: [40, 32, 24, 16], cells: rows.map(state)),
            TextTable.Column(title: "WHERE", limits: [40, 32, 0, 0], cells: rows.map { $0.place?.process ?? "" }),
            TextTable.Column(
                title: "LAST ORDER",
                limits: [48, 32, 24, 16],
                cells: rows.map { Self.order($0.lane.order) }
            ),
            TextTable.Column(title: "CAUSE", takesRest: true, cells: rows.map { $0.place?.cause ?? "" }),
        ]
        return TextTable(columns: columns).lines(width: width) { _, _, text in text }
    }

    /// What the dispatcher says, as long as that is what was ordered; else what was, and how long ago.
    private func state(_ row: Row) -> String {
        guard let place = row.place else { return "no dispatcher" }
        guard let order = row.lane.order, !row.lane.isConfirmed(by: place) else { return place.state }
        return "ordered \(order.state.rawValue) \(AgeText.text(order.source.date, now)) ago, not confirmed"
    }

    private static func order(_ order: LaneOrder?) -> String {
        order.map { "\($0.state.rawValue) by \($0.source.name) \(DeliveryClock.text($0.source.date).prefix(16))" } ?? ""
    }
}
