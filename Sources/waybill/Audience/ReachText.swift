import WaybillAudience
import WaybillProviders

/// Over which lanes an audience goes, as people read it.
enum ReachText {
    /// A line for each lane, and one for each reason why devices are left out.
    static func lines(_ reach: AudienceReach) -> [String] {
        reach.lanes.map { lane in
            "\(Counted.text(lane.devices, "device")) over \(Cell.printable(lane.name)) (\(lane.provider.title))"
        } + lines(reach.leftOut)
    }

    /// One for each reason why devices are left out.
    static func lines(_ leftOut: AudienceLeftOut) -> [String] {
        [(leftOut.withoutLane, "without a lane"), (leftOut.withoutContent, "without content for their provider")]
            .filter { $0.0 > 0 }
            .map { "\(Counted.text($0.0, "device")) \($0.1)" }
    }
}
