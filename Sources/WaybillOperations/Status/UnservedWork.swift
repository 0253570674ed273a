import WaybillFleet

/// Something that waits for the processes of a role.
struct UnservedWork {
    let kind: FindingKind
    let role: String
    /// What waits, with its verb.
    var what: String
    let count: Int
    /// Whether fewer may wait.
    var isAtMost = false
    let advice: String

    /// Critical notifications that nobody has acknowledged.
    ///
    /// - Parameters:
    ///   - count: how many are to be sent again.
    ///   - isAtMost: whether they may be fewer.
    /// - Returns: the work.
    static func repeats(_ count: Int, isAtMost: Bool = false) -> UnservedWork {
        UnservedWork(
            kind: .noSchedule,
            role: "schedule",
            what: "critical notifications wait to be sent again",
            count: count,
            isAtMost: isAtMost,
            advice: StateAdvice.noSchedule
        )
    }

    /// Notifications in the store.
    static func notifications(_ count: Int) -> UnservedWork {
        UnservedWork(
            kind: .noSchedule,
            role: "schedule",
            what: "notifications in the store, parts of campaigns among them, are under way or new",
            count: count,
            advice: StateAdvice.noScheduleForNotifications
        )
    }

    /// Notifications in the store that a batch is.
    static func ofBatch(_ count: Int) -> UnservedWork {
        var work = notifications(count)
        work.what = "notifications of it in the store are under way or new"
        return work
    }

    /// Audience messages that nobody has entered yet.
    static func audiences(_ count: Int) -> UnservedWork {
        UnservedWork(
            kind: .noFanout,
            role: "fanout",
            what: "audience messages wait",
            count: count,
            advice: StateAdvice.noFanout
        )
    }

    /// That it waits, and nobody runs who would take it.
    ///
    /// - Parameter running: the roles of which a process is up.
    /// - Returns: `nil` where nothing waits, or somebody runs.
    func finding(running: Set<String>) -> FleetHealth.Finding? {
        guard count > 0, !running.contains(role) else { return nil }
        let number = isAtMost ? "at most \(count)" : "\(count)"
        return FleetHealth.Finding(kind, .degraded, "no waybill \(role) runs; \(what): \(number)", advice: advice)
    }
}
