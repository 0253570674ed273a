import WaybillCore

/// Tickets that were started and wait for room on their lanes, each lane's in the order of arrival.
struct WaitingTickets {
    private var lanes: [[Ticket]]

    init(laneCount: Int) {
        lanes = Array(repeating: [], count: laneCount)
    }

    mutating func append(_ ticket: Ticket) {
        lanes[ticket.batch.lane].append(ticket)
    }

    /// Offers each lane's tickets in turn, until the lane takes one no more.
    mutating func release(_ takes: (Ticket) -> Bool) {
        for lane in lanes.indices where !lanes[lane].isEmpty {
            let count = lanes[lane].prefix(while: takes).count
            lanes[lane].removeFirst(count)
        }
    }

    /// Takes all of them out.
    mutating func removeAll() -> [Ticket] {
        defer { lanes = Array(repeating: [], count: lanes.count) }
        return lanes.flatMap(\.self)
    }
}
