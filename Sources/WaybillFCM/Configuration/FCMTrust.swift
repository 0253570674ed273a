import WaybillTLS

/// Whose certificates a server may show.
public enum FCMTrust: Hashable, Sendable {
    /// The authorities of the system.
    case system
    /// Those of a PEM file.
    case file(String)

    var transport: TLSTrust {
        switch self {
        case .system: .system
        case .file(let path): .file(path)
        }
    }
}
