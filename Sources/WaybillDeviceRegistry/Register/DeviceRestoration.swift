/// What an export tells of a device besides its registration: what became of its token.
package struct DeviceRestoration: Hashable, Sendable {
    /// Without the time of the registration.
    var life = DeviceLife()
    /// The newest at the end.
    var history: [DeviceHistoryEvent] = []

    /// Whether the token may be pushed to, and nothing speaks against it.
    var isSound: Bool { life.isEnabled && life.suspectedAt == nil }
}

extension DeviceEntry {
    /// When the app has spoken of the token last, in milliseconds since 1970; `nil` if nobody knows.
    var lastWord: Int64? {
        DeviceRegistration(registeredAt: registeredAt, seenAt: restoration?.life.seenAt).lastWord
    }

    /// The same as a registration of a token that is known: at the last word.
    var asRegistration: DeviceEntry {
        var entry = self
        entry.registeredAt = lastWord
        entry.restoration = nil
        return entry
    }

    /// What the registry holds of a token that is new.
    var life: DeviceLife {
        var life = restoration?.life ?? DeviceLife()
        life.registeredAt = registeredAt
        return life
    }

    /// The same with no time later than a moment.
    func noLater(than now: Int64) -> DeviceEntry {
        var entry = self
        entry.registeredAt = registeredAt.map { min($0, now) }
        if let seenAt = restoration?.life.seenAt { entry.restoration?.life.seenAt = min(seenAt, now) }
        return entry
    }
}
