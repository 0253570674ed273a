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
}
