/// Bounds how many secrets are looked up at once that were not seen lately: each is a question to the store, and most of what
/// is shown in a flood nobody knows.
///
/// An address that has shown too many such gets in more slowly, and still does: somebody with a good key may share it.
/// Not safe to share: its owner has a lock.
struct LookUpLimit {
    /// More than these would leave no room in the queue of the store's threads.
    private static let most = 48
    private static let mostWithSuspects = 16
    private static let mostOfSuspect = 2

    private var count = 0
    private var byAddress: [String: Int] = [:]

    /// Lets a look-up begin; then ``leave(_:)`` is owed.
    mutating func enter(_ address: String, isSuspect: Bool) -> Bool {
        let own = byAddress[address] ?? 0
        if isSuspect, own >= Self.mostOfSuspect || count >= Self.mostWithSuspects { return false }
        guard count < Self.most else { return false }
        count += 1
        byAddress[address] = own + 1
        return true
    }

    mutating func leave(_ address: String) {
        count -= 1
        let own = (byAddress[address] ?? 1) - 1
        byAddress[address] = own == 0 ? nil : own
    }
}
