import Glibc

/// Standard output as a reader sees it.
struct Screen {
    /// The narrowest page that text is broken for.
    private static let leastWidth = 40
    /// The customary page, where nobody says how wide it is.
    private static let customaryWidth = 80

    let isTerminal: Bool
    /// Columns; `nil` where the output goes to a file or a pipe, and nothing is to be cut.
    let width: Int?
    /// Lines; `nil` where nobody says how many.
    let height: Int?
    let palette: Palette

    /// Columns for what is read like a page, which is broken into lines anywhere.
    var pageWidth: Int { width ?? Self.customaryWidth }

    static let output: Screen = {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let isPlain = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
        let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? true
        var size = winsize()
        let isMeasured = isTerminal && ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        let environment = getenv("COLUMNS").map { String(cString: $0) }
        return Screen(
            isTerminal: isTerminal,
            width: isTerminal ? columns(environment: environment, measured: isMeasured ? Int(size.ws_col) : nil) : nil,
            height: isMeasured && size.ws_row > 0 ? Int(size.ws_row) : nil,
            palette: Palette(isColoured: isTerminal && !isPlain && !isDumb)
        )
    }()

    /// The columns of a terminal: what `COLUMNS` says, else what the terminal says, else the customary 80.
    static func columns(environment: String?, measured: Int?) -> Int {
        let asked = environment.flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        return max(leastWidth, asked ?? measured ?? customaryWidth)
    }
}

/// Colours for a terminal; plain text anywhere else.
struct Palette {
    let isColoured: Bool

    func bold(_ text: String) -> String { paint(text, "1") }
    func dim(_ text: String) -> String { paint(text, "2") }

    /// The colour of an outcome: green for accepted, yellow for what may still change or is not known, red otherwise.
    func outcome(_ outcome: String, text: String) -> String {
        switch outcome {
        case "accepted": paint(text, "32")
        case "deferred", "unknown", "superseded": paint(text, "33")
        default: paint(text, "31")
        }
    }

    private func paint(_ text: String, _ code: String) -> String {
        isColoured ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
    }
}
