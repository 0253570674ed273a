/// How much a service's notification matters.
package enum NotificationLevel: Int, CaseIterable, Sendable {
    case info = 1
    case warning = 2
    case error = 3
    /// Sounds whatever the phone is set to: its key must have the scope for it, and who is told must have asked for it.
    case critical = 4

    /// Those that the thesis knows, and that everybody is told of who does not switch them off.
    package static let ordinary: [Self] = [.info, .warning, .error]

    /// As apps and people read it.
    package var name: String {
        switch self {
        case .info: "info"
        case .warning: "warning"
        case .error: "error"
        case .critical: "critical"
        }
    }

    /// - Returns: `nil` for what is no level's name.
    package init?(name: String) {
        guard let level = Self.allCases.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else { return nil }
        self = level
    }

    /// Whether it reaches people in their quiet hours.
    package var passesQuietHours: Bool { self >= .error }
}

extension NotificationLevel: Comparable {
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Which levels somebody is told of: each is on or off for itself, none includes another.
package struct NotificationLevels: OptionSet, Hashable, Sendable {
    /// 1 for information, 2 for warnings, 4 for errors, 8 for what is critical, added up: 0 to 15.
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue & 0b1111
    }

    package init(_ level: NotificationLevel) {
        self.init(rawValue: 1 << (level.rawValue - 1))
    }

    /// All that the thesis knows: what is critical, people ask for themselves.
    package static let all = NotificationLevels(rawValue: 0b111)
    package static let critical = NotificationLevels(.critical)

    package func includes(_ level: NotificationLevel) -> Bool { contains(NotificationLevels(level)) }
}
