import WaybillCore

/// Messages that were started and wait for room on their lanes, each lane's in the order of arrival.
struct WaitingMessages {
    private struct Lane {
        var messages: [InFlightMessage] = []
        var items = 0
    }

    private var lanes: [Lane]

    init(laneCount: Int) {
        lanes = Array(repeating: Lane(), count: laneCount)
    }

    /// How many notifications of a lane wait.
    func items(lane: Int) -> Int { lanes[lane].items }

    mutating func append(_ message: InFlightMessage) {
        lanes[message.batch.lane].messages.append(message)
        lanes[message.batch.lane].items += message.batch.items.count
    }

    /// Offers each lane's messages in turn, until the lane takes one no more.
    ///
    /// - Parameter takes: whether a message has left; its second argument is how many notifications of its lane wait.
    mutating func release(_ takes: (InFlightMessage, _ waiting: Int) -> Bool) {
        for lane in lanes.indices where !lanes[lane].messages.isEmpty {
            var taken = 0
            for message in lanes[lane].messages {
                guard takes(message, lanes[lane].items) else { break }
                taken += 1
                lanes[lane].items -= message.batch.items.count
            }
            lanes[lane].messages.removeFirst(taken)
        }
    }

    /// Takes all of them out.
    mutating func removeAll() -> [InFlightMessage] {
        defer { lanes = Array(repeating: Lane(), count: lanes.count) }
        return lanes.flatMap(\.messages)
    }
}
