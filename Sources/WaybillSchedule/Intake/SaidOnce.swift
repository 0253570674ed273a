/// Remembers what was said of which document, so that it is said once.
struct SaidOnce {
    /// With more it forgets them all, and says some again: its memory must not grow forever.
    static let most = 1000

    private var said: Set<String> = []

    /// Whether that was not said of a document yet; from now on it was.
    mutating func isNew(_ name: String, _ reason: String) -> Bool {
        if said.count >= Self.most { said.removeAll() }
        return said.insert("\(name) \(reason)").inserted
    }
}
