extension Campaign {
    /// How far it is, as people and programs read it: `draft`, `starting`, `started`, `paused`, `cancelled`, or `done` when all its parts
    /// have ended.
    ///
    /// - Parameter progress: of its parts, by their numbers.
    /// - Returns: the word.
    package func stateName(_ progress: [Int: PostedSummary]) -> String {
        if state == .started, progress.values.allSatisfy(\.hasEnded) { return "done" }
        return isHeld && state != .cancelled ? "paused" : state.rawValue
    }

    /// The moment for which the outcomes of a campaign that is under way hold.
    ///
    /// Those of a part that has ended hold from when they were counted on; a part of which nothing is handed over has none.
    ///
    /// - Parameter progress: of its parts, by their numbers.
    /// - Returns: milliseconds since 1970; `nil` where all is counted, or nothing is, or its parts were counted at different
    ///   moments.
    package static func countedAt(_ progress: [Int: PostedSummary]) -> Int64? {
        let moving = progress.values.filter { !$0.hasEnded && $0.hasBegun }
        guard let time = moving.first?.countedAt, moving.allSatisfy({ $0.countedAt == time }) else { return nil }
        return progress.values.contains { $0.hasEnded && $0.countedAt ?? 0 > time } ? nil : time
    }
}
