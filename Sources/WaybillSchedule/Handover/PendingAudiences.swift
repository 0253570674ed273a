import WaybillMongo
import WaybillNotifications

/// What this process has claimed, and the broker is not known to have.
struct PendingAudiences {
    /// So many are published together.
    static let most = 50

    /// In the order in which they were claimed.
    private(set) var audiences: [PostedStore.Claimed] = []

    var isEmpty: Bool { audiences.isEmpty }
    /// So many more can be taken.
    var room: Int { max(0, Self.most - audiences.count) }

    /// Takes one, unless it is there: a claim of its own ends when the broker is away for longer than the lease, and is then
    /// found again.
    ///
    /// - Returns: whether it is new.
    mutating func take(_ one: PostedStore.Claimed) -> Bool {
        guard !audiences.contains(where: { $0.id == one.id }) else { return false }
        audiences.append(one)
        return true
    }

    /// Forgets some.
    mutating func drop(_ ids: Set<BSONIdentifier>) { audiences.removeAll { ids.contains($0.id) } }
}
