package import WaybillThreads

/// What one worker of a role is doing, as it was at one moment.
package struct WorkStatus: Sendable {
    /// What it needs to do its work.
    package var checks: [HealthCheck] = []
    /// Its lanes, in the order of the configuration; none for a role that sends nothing.
    package var lanes: [LaneStatus] = []
    /// What it has taken and not finished, by what it is.
    package var inFlight: [(name: String, count: Int)] = []
    /// What it has done since the start, by what came of it.
    package var totals: [(name: String, count: Int)] = []
    /// By queue, the own time of the message that was taken last, in milliseconds since 1970; what still waits there came
    /// no earlier.
    package var takenUpTo: [(queue: String, time: Int64)] = []
    /// What it reads.
    package var queues: [String] = []
    /// By queue, how many consumers the broker counts of it: also those that have ended and still hold messages.
    package var consumers: [(queue: String, count: Int)] = []
    /// What goes wrong though nothing is missing.
    package var troubles: [Trouble] = []
    /// What only a person can change, one sentence each.
    package var needs: [String] = []

    package init() {}

    /// Adds what an older worker still has in hand, which a reload has replaced.
    mutating func add(inHandOf older: WorkStatus) {
        for (name, count) in older.inFlight {
            if let index = inFlight.firstIndex(where: { $0.name == name }) {
                inFlight[index].count += count
            } else {
                inFlight.append((name, count))
            }
        }
        for (queue, count) in older.consumers {
            if let index = consumers.firstIndex(where: { $0.queue == queue }) {
                consumers[index].count += count
            } else {
                consumers.append((queue, count))
            }
        }
    }
}

/// Work that can be looked at while it is done; from any thread, at any time.
package protocol ObservedWork: Sendable {
    /// The threads whose loops must go round.
    var loops: [LoopWatch] { get }
    /// Reads everything that is shown of it, without waiting for anybody.
    func status() -> WorkStatus
    /// Adds what it measures; all of its series, those with zero too.
    func measure(into page: inout MetricsPage)
}
