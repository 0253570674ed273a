import WaybillThreads

/// The last answers of a lane that ask for a pause (5xx with `Retry-After`), as long as no other answer comes between them.
///
/// One such answer speaks of its request alone; several in a row speak of the lane. An answer 5xx without `Retry-After`
/// neither counts nor interrupts the row.
struct OverloadRow {
    static let length = 5
    static let window = Duration.seconds(10)

    private var answers: [(at: MonotonicTime, wait: Duration)] = []

    mutating func note(_ answer: PushAnswer, at now: MonotonicTime) {
        guard answer.status >= 500 else {
            if !answers.isEmpty { answers.removeAll(keepingCapacity: true) }
            return
        }
        guard let wait = answer.retryAfter, wait > .zero else { return }
        if answers.count == Self.length { answers.removeFirst() }
        answers.append((now, wait))
    }

    /// The shortest pause that the answers of the row ask for; `nil` while they are too few, or too far apart.
    var pause: Duration? {
        guard answers.count == Self.length, let first = answers.first, let last = answers.last,
            last.at.duration(since: first.at) <= Self.window
        else { return nil }
        return answers.map(\.wait).min()
    }
}
