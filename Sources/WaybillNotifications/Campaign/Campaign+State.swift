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

    /// Since when outcomes of a campaign that is under way were not counted anew.
    ///
    /// - Parameter progress: of its parts, by their numbers.
    /// - Returns: milliseconds since 1970; `nil` where all is counted, or nothing is.
    package static func countedAt(_ progress: [Int: PostedSummary]) -> Int64? {
        progress.values.filter { !$0.hasEnded }.compactMap(\.countedAt).min()
    }
}
