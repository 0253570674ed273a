import WaybillCore

/// Tickets that were started and wait for room on their lanes, each lane's in the order of arrival.
struct WaitingTickets {
    private struct Lane {
        var tickets: [Ticket] = []
        var items = 0
    }

    private var lanes: [Lane]

    init(laneCount: Int) {
        lanes = Array(repeating: Lane(), count: laneCount)
    }

    /// How many notifications of a lane wait.
    func items(lane: Int) -> Int { lanes[lane].items }

    mutating func append(_ ticket: Ticket) {
        lanes[ticket.batch.lane].tickets.append(ticket)
        lanes[ticket.batch.lane].items += ticket.batch.items.count
    }

    /// Offers each lane's tickets in turn, until the lane takes one no more.
    ///
    /// - Parameter takes: whether a ticket has left; its second argument is how many notifications of its lane wait.
    mutating func release(_ takes: (Ticket, _ waiting: Int) -> Bool) {
        for lane in lanes.indices where !lanes[lane].tickets.isEmpty {
            var taken = 0
            for ticket in lanes[lane].tickets {
                guard takes(ticket, lanes[lane].items) else { break }
                taken += 1
                lanes[lane].items -= ticket.batch.items.count
            }
            lanes[lane].tickets.removeFirst(taken)
        }
    }

    /// Takes all of them out.
    mutating func removeAll() -> [Ticket] {
        defer { lanes = Array(repeating: Lane(), count: lanes.count) }
        return lanes.flatMap(\.tickets)
    }
}
