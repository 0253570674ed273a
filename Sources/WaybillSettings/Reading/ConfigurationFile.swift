/// What matters about the configuration file besides its content.
struct ConfigurationFile {
    /// `nil` when there is none, and everything comes from flags and the environment.
    var path: String?
    /// Whether the group or everybody may read it.
    var isReadableByOthers = false

    /// The folder that relative paths of the file start from; empty for the working folder.
    var folder: String { path?.lastIndex(of: "/").map { String(path![..<$0]) } ?? "" }
}
