/// How far a replay has come, for the words when it cannot go on.
struct ReplayProgress {
    /// The queue's name.
    let queue: String
    /// How many messages are meant.
    var matched = 0
    /// How many are off the queue.
    var replayed = 0
    /// The id of the one that was given to the broker, which has not confirmed it.
    var underWay: String?

    init(queue: String) {
        self.queue = queue
    }

    /// What became of the messages.
    ///
    /// - Parameter cause: why it cannot go on.
    /// - Returns: what is said of it.
    func end(with cause: String) -> String {
        let left = max(0, matched - replayed)
        let rest = left == 1 ? "1 is" : "\(left) are"
        var text =
            "\(Cell.printable(cause)); replayed \(replayed) of \(matched) that were meant, and \(rest) still in \(queue)"
        if let underWay {
            text += "; the broker may have a copy of \(Cell.printable(underWay)) all the same, and then it is sent, too"
        }
        return text
    }
}
