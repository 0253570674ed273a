/// Who is at a feed, each in a seat of their own.
struct FeedMembers<Member: Sendable>: Sendable {
    private var seats: [Int: Member] = [:]
    private var nextSeat = 0
    /// How many were sent away because they took too little.
    private(set) var dropped = 0
    /// Whether the server ends: nobody comes any more.
    private(set) var isEnding = false

    var all: [Member] { Array(seats.values) }
    var count: Int { seats.count }
    var isEmpty: Bool { seats.isEmpty }

    /// Gives somebody a seat.
    ///
    /// - Returns: its number; `nil` when the server ends.
    mutating func join(_ member: Member) -> Int? {
        guard !isEnding else { return nil }
        nextSeat += 1
        seats[nextSeat] = member
        return nextSeat
    }

    /// - Returns: whether the seat was taken until now.
    mutating func leave(_ seat: Int) -> Bool { seats.removeValue(forKey: seat) != nil }

    /// Sends away who takes too little of what is sent.
    ///
    /// - Returns: who they were.
    mutating func drop(where isSlow: (Member) -> Bool) -> [Member] {
        let slow = seats.filter { isSlow($0.value) }
        for seat in slow.keys { seats[seat] = nil }
        dropped += slow.count
        return Array(slow.values)
    }

    /// Sends everybody away.
    ///
    /// - Returns: who they were.
    mutating func end() -> [Member] {
        isEnding = true
        defer { seats.removeAll() }
        return all
    }
}

/// Somebody's place at a feed; it is given up with the last reference.
final class FeedSeat<Listener: Sendable>: Sendable {
    let listener: Listener
    private let leave: @Sendable () -> Void

    init(_ listener: Listener, leave: @escaping @Sendable () -> Void) {
        self.listener = listener
        self.leave = leave
    }

    deinit { leave() }
}
