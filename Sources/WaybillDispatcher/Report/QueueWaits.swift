/// How long messages wait in the queues, by the one that was taken last of each.
///
/// A queue hands out in order: what still waits in it came no earlier than that.
struct QueueWaits: Sendable {
    struct Queue: Sendable {
        let name: String
        /// The message's own time, in milliseconds since 1970.
        var time: Int64
        /// From then until it was taken, in milliseconds.
        var waited: Int64
    }

    private(set) var queues: [Queue] = []

    /// A message has been taken.
    ///
    /// - Parameters:
    ///   - queue: it came from.
    ///   - time: its own, in milliseconds since 1970.
    ///   - now: milliseconds since 1970.
    mutating func take(from queue: String, time: Int64, now: Int64) {
        let waited = max(0, now - time)
        if let index = queues.firstIndex(where: { $0.name == queue }) {
            queues[index].time = time
            queues[index].waited = waited
        } else {
            queues.append(Queue(name: queue, time: time, waited: waited))
        }
    }
}
