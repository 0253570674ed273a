import WaybillEncoding
package import WaybillFleet

/// That an order names a lane which nobody has, and which lanes there are.
package struct UnknownLane: Hashable, Sendable {
    /// The lanes of the dispatchers that are up; where none is, those that anybody is known to have.
    package let known: [String]
    /// Whether a dispatcher is up that would have told.
    package let isAnyUp: Bool

    /// Decides; `nil` where somebody has the lane.
    ///
    /// A lane may be another machine's alone: what a dispatcher has said of itself counts, also of one that has ended, as long as
    /// the store keeps its last word; and so does an order that keeps the lane from sending.
    ///
    /// - Parameters:
    ///   - name: the lane.
    ///   - leases: of all processes.
    ///   - lanes: as dispatchers and orders have them.
    ///   - configured: the lanes of the configuration of whoever gives the order.
    package init?(_ name: String, leases: [Lease], lanes: [LaneOverview], configured: [String]) {
        let running = lanes.filter { !$0.places.isEmpty }.map(\.name)
        let ordered = lanes.filter { $0.order.map { $0.state != .open } ?? false }.map(\.name)
        let told = leases.flatMap { ProcessReport($0).lanes ?? [] }.map(\.name)
        isAnyUp = !running.isEmpty
        let all = Set(isAnyUp ? running : told + configured).union(ordered)
        guard !all.contains(where: name.isExactly) else { return nil }
        known = isAnyUp ? running : all.sorted()
    }

    /// Where it was looked for, and what there is, as half a sentence.
    package func words(for lane: String) -> String {
        guard !isAnyUp else { return "no running dispatcher has the lane \(lane); they have: \(list)" }
        return
            "no dispatcher is up, and the lane \(lane) is not configured here, nor has any dispatcher told of it lately; "
            + (known.isEmpty ? "no lane is known" : "known: \(list)")
    }

    private var list: String { known.joined(separator: ", ") }
}
