import WaybillCore

/// How the waits of a retry are written in its header: `paused/1795233600000/1795233690000/3`, with commas between them.
extension [LaneWait] {
    /// The header's value; only waits that have an end are in it.
    package var headerText: String {
        compactMap { wait in
            wait.until.map { "\(wait.reason.rawValue)/\(wait.from)/\($0)/\(wait.times)" }
        }
        .joined(separator: ",")
    }

    /// Far above any number of delays, far below an overflow.
    private static var mostTimes: Int { 1_000_000 }

    /// Reads the header's value.
    ///
    /// A retry is sent whatever this says: what cannot be read, such as a reason of a newer release, is left out.
    package init(headerText: String) {
        self = headerText.split(separator: ",", maxSplits: Self.limit).prefix(Self.limit).compactMap(Self.wait)
    }

    private static func wait(_ text: Substring) -> LaneWait? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4, let reason = LaneWait.Reason(rawValue: String(parts[0])),
            let from = Int64(parts[1]), let until = Int64(parts[2]), let times = Int(parts[3]),
            0..<(1 << 48) ~= from, from..<(1 << 48) ~= until, 1...mostTimes ~= times
        else { return nil }
        return LaneWait(reason, from: from, until: until, times: times)
    }
}
