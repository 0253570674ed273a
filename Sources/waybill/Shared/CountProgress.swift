import Glibc
import WaybillThreads

/// How far a command has come that does not know its end, on standard error; nothing where that is no terminal.
struct CountProgress {
    private static let interval = Duration.milliseconds(200)

    private let noun: String
    private let start = MonotonicTime.now()
    private var first: Int?
    private var next = MonotonicTime.now()
    private let isShown = Terminal.standardError.isTerminal

    /// - Parameter noun: what is counted, one of them.
    init(_ noun: String) {
        self.noun = noun
    }

    /// Shows how far a count has come, for as long as it takes, also where it fails.
    ///
    /// - Parameters:
    ///   - noun: what is counted, one of them.
    ///   - count: is handed what to tell how many there are so far.
    /// - Returns: what the count returns.
    /// - Throws: what the count throws.
    static func shown<Counted, Failure: Error>(
        _ noun: String,
        _ count: ((Int) -> Void) throws(Failure) -> Counted
    ) throws(Failure) -> Counted {
        var progress = CountProgress(noun)
        defer { progress.finish() }
        return try count { progress.update($0) }
    }

    /// Shows how many there are so far.
    mutating func update(_ count: Int) {
        let before = first ?? count
        first = before
        guard isShown, MonotonicTime.now() >= next else { return }
        next = .now().advanced(by: Self.interval)
        write(
            "\r" + Self.text(count, noun, since: before, elapsed: MonotonicTime.now().duration(since: start))
                + "\u{1B}[K"
        )
    }

    /// Takes the line away, so that another one can follow.
    func finish() {
        if isShown { write("\r\u{1B}[K") }
    }

    /// - Parameters:
    ///   - count: so far.
    ///   - noun: what is counted.
    ///   - before: how many of them an earlier run had.
    ///   - elapsed: since this run began.
    /// - Returns: one line, without its end.
    static func text(_ count: Int, _ noun: String, since before: Int, elapsed: Duration) -> String {
        let seconds = elapsed / .seconds(1)
        let rate = seconds > 0 ? Int(Double(count - before) / seconds) : 0
        return "\(Counted.text(count, noun))  \(rate)/s"
    }

    private func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
