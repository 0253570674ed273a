/// A scalar setting as it was written, with the place it came from.
struct Setting {
    let path: String
    let origin: SettingOrigin
    let text: String
    /// Whether the text stood without quotes: `"5"` is no number.
    let isPlain: Bool

    /// Whether the value stands in the file, where relative paths start from the file's folder.
    var isFromFile: Bool {
        if case .file = origin { true } else { false }
    }
}
