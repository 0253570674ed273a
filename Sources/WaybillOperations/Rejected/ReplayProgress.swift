/// How far a replay has come, for the words when it cannot go on.
package struct ReplayProgress: Hashable, Sendable {
    /// The queue's name.
    private let queue: String
    /// How many messages are meant.
    package var matched = 0
    /// How many are off the queue.
    package var replayed = 0
    /// The id of the one that was given to the broker, which has not confirmed it.
    package var underWay: String?

    package init(queue: String) {
        self.queue = queue
    }

    /// What became of the messages; not printable yet, for it has names as they came.
    ///
    /// - Parameter cause: why it cannot go on.
    /// - Returns: what is said of it.
    package func end(with cause: String) -> String {
        let left = max(0, matched - replayed)
        let rest = left == 1 ? "1 is" : "\(left) are"
        var text = "\(cause); replayed \(replayed) of \(matched) that were meant, and \(rest) still in \(queue)"
        if let underWay {
            text += "; the broker may have a copy of \(underWay) all the same, and then it is sent, too"
        }
        return text
    }
}
