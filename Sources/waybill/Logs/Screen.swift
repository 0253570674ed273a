import Glibc

/// Standard output as a reader sees it.
struct Screen {
    let isTerminal: Bool
    /// Columns; a generous line where the output goes to a file or a pipe.
    let width: Int
    /// Columns for what is read like a page; the customary 80 where the output goes to a file or a pipe.
    let pageWidth: Int
    let palette: Palette

    static let output: Screen = {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let isPlain = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
        let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? true
        var size = winsize()
        let isMeasured = isTerminal && ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        let measured = isMeasured ? max(60, Int(size.ws_col)) : nil
        return Screen(
            isTerminal: isTerminal,
            width: measured ?? 160,
            pageWidth: measured ?? 80,
            palette: Palette(isColoured: isTerminal && !isPlain && !isDumb)
        )
    }()
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
        case "deferred", "unknown": paint(text, "33")
        default: paint(text, "31")
        }
    }

    private func paint(_ text: String, _ code: String) -> String {
        isColoured ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
    }
}
