import ArgumentParser

/// How much a notification matters: by the thesis' number, or by name.
enum NotifyLevel: String, CaseIterable, ExpressibleByArgument {
    case info, warning, error, critical

    /// The numbers that the thesis' API has; `critical` has none there.
    private static let numbered: [NotifyLevel] = [.info, .warning, .error]

    init?(argument: String) {
        if let number = Int(argument) {
            guard (1...Self.numbered.count).contains(number) else { return nil }
            self = Self.numbered[number - 1]
        } else {
            self.init(rawValue: argument)
        }
    }

    var number: Int? { Self.numbered.firstIndex(of: self).map { $0 + 1 } }
}
