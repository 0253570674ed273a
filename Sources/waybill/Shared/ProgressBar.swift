import Glibc
import WaybillThreads

/// A bar on standard error that says how far a command has come; nothing where that is no terminal.
struct ProgressBar {
    private static let barColumns = 30
    /// Drawing more often than the eye sees would only slow the work down.
    private static let interval = Duration.milliseconds(100)

    private let what: String
    private let total: Int
    private let isShown: Bool
    private let start = MonotonicTime.now()
    private var nextDrawing: MonotonicTime

    /// - Parameters:
    ///   - what: names the things that are counted.
    ///   - total: how many there are.
    ///   - isShown: `false` draws nothing.
    init(_ what: String, total: Int, isShown: Bool) {
        self.what = what
        self.total = total
        self.isShown = isShown && Terminal.standardError.isTerminal && total > 0
        nextDrawing = start
    }

    /// Shows how many are done.
    mutating func update(_ done: Int) {
        guard isShown, MonotonicTime.now() >= nextDrawing else { return }
        nextDrawing = .now().advanced(by: Self.interval)
        write(
            "\r" + Self.text(what: what, done: done, total: total, elapsed: MonotonicTime.now().duration(since: start))
        )
    }

    /// Takes the bar away, so that a line can follow.
    func finish() {
        if isShown { write("\r\u{1B}[K") }
    }

    /// The bar's text.
    static func text(what: String, done: Int, total: Int, elapsed: Duration) -> String {
        let filled = total > 0 ? barColumns * min(done, total) / total : 0
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: barColumns - filled)
        let seconds = elapsed / .seconds(1)
        let rate = seconds > 0 ? Int(Double(done) / seconds) : 0
        return "[\(bar)] \(done)/\(total) \(what)  \(rate)/s\u{1B}[K"
    }

    private func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
