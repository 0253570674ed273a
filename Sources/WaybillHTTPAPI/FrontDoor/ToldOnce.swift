import WaybillThreads

/// What a sweep could not do last, so that each is told once.
final class ToldOnce<What: Hashable & Sendable>: Sendable {
    private let last = Guarded<Set<What>>([])

    /// - Parameter found: what could not be done now.
    /// - Returns: whether anything of it could be done, or was not begun, the last time.
    func isNews(_ found: [What]) -> Bool {
        let found = Set(found)
        return last.withLock { last in
            defer { last = found }
            return !found.isSubset(of: last)
        }
    }
}
