/// How much a service's notification matters.
package enum NotificationLevel: Int, CaseIterable, Sendable {
    case info = 1
    case warning = 2
    case error = 3

    /// As apps and people read it.
    package var name: String {
        switch self {
        case .info: "info"
        case .warning: "warning"
        case .error: "error"
        }
    }
}

/// Which levels somebody is told of: each is on or off for itself, none includes another.
package struct NotificationLevels: OptionSet, Hashable, Sendable {
    /// 1 for information, 2 for warnings, 4 for errors, added up: 0 to 7.
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue & 0b111
    }

    package init(_ level: NotificationLevel) {
        self.init(rawValue: 1 << (level.rawValue - 1))
    }

    package static let all = NotificationLevels(rawValue: 0b111)

    package func includes(_ level: NotificationLevel) -> Bool { contains(NotificationLevels(level)) }
}
