import Glibc
import WaybillThreads

/// How far an export has come, on standard error; nothing where that is no terminal.
struct ExportProgress {
    private static let interval = Duration.milliseconds(200)

    private let start = MonotonicTime.now()
    private var first: Int?
    private var next = MonotonicTime.now()
    private let isShown = Terminal.standardError.isTerminal

    /// Shows how many records there are so far.
    mutating func update(_ records: Int) {
        let before = first ?? records
        first = before
        guard isShown, MonotonicTime.now() >= next else { return }
        next = .now().advanced(by: Self.interval)
        write(
            "\r" + Self.text(records, since: before, elapsed: MonotonicTime.now().duration(since: start)) + "\u{1B}[K"
        )
    }

    /// Takes the line away, so that another one can follow.
    func finish() {
        if isShown { write("\r\u{1B}[K") }
    }

    /// - Parameters:
    ///   - records: so far.
    ///   - before: how many of them an earlier run had.
    ///   - elapsed: since this run began.
    /// - Returns: one line, without its end.
    static func text(_ records: Int, since before: Int, elapsed: Duration) -> String {
        let seconds = elapsed / .seconds(1)
        let rate = seconds > 0 ? Int(Double(records - before) / seconds) : 0
        return "\(Counted.text(records, "record"))  \(rate)/s"
    }

    private func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
