/// How services talk.
package struct LogSettings: Hashable, Sendable {
    package enum Level: String, CaseIterable, Sendable {
        case trace
        case debug
        case info
        case notice
        case warning
        case error
        case critical
    }

    /// The least level that is written; a flag wins over it.
    package var level: Level

    package init(level: Level = .info) {
        self.level = level
    }
}
