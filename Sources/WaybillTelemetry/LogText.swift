import WaybillEncoding

/// Values of log lines, which may be words of others.
enum LogText {
    /// How many characters of one are written: some collectors cut or drop lines of more than 16 KiB.
    static let longest = 2000

    static func cut(_ text: String) -> String { TextLength.cut(text, to: longest) }
}
