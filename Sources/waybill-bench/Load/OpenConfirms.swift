/// The publications that the broker has not confirmed yet.
struct OpenConfirms {
    /// Confirmed out of order: above ``lowest``.
    private var early: Set<UInt64> = []
    /// Every sequence number below is confirmed.
    private var lowest: UInt64 = 1
    private var last: UInt64 = 0

    /// How many are open.
    var count: Int { Int(last + 1 - lowest) - early.count }

    mutating func published(_ sequence: UInt64) { last = sequence }

    mutating func confirmed(_ sequence: UInt64, multiple: Bool) {
        if multiple {
            guard sequence >= lowest else { return }
            lowest = sequence + 1
            if !early.isEmpty { early = early.filter { $0 > sequence } }
        } else if sequence >= lowest {
            early.insert(sequence)
        }
        while early.remove(lowest) != nil { lowest += 1 }
    }
}
