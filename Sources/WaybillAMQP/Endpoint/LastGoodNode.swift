import Synchronization

/// Remembers a node by its position, for whoever comes next; any thread.
final class LastGoodNode: Sendable {
    private let stored = Atomic(-1)

    /// `nil` until one has answered.
    var position: Int? {
        get {
            let position = stored.load(ordering: .relaxed)
            return position < 0 ? nil : position
        }
        set { stored.store(newValue ?? -1, ordering: .relaxed) }
    }
}
