import WaybillTelemetry
import WaybillThreads

/// Hands SIGHUP on to the roles of the process, and tells the service manager when it has come and when all are done with it.
///
/// Also where no role has anything to read again: the service manager waits for an answer (`Type=notify-reload`).
final class ReloadNotice: Sendable {
    private struct State {
        /// Of the last SIGHUP.
        var number = 0
        /// The roles, by their place, that are not done with it.
        var open: Set<Int> = []
        var isEnding = false
    }

    private let roles: [ReloadRequests]
    private let notifier: SystemdNotifier
    /// How things stand, for the service manager.
    private let summary: @Sendable () -> String
    private let state = Guarded(State())

    /// - Parameters:
    ///   - roles: what is asked of each.
    ///   - notifier: the service manager.
    ///   - summary: how things stand, in a line.
    init(_ roles: [ReloadRequests], notifier: SystemdNotifier, summary: @escaping @Sendable () -> String) {
        self.roles = roles
        self.notifier = notifier
        self.summary = summary
        for (place, role) in roles.enumerated() {
            role.whenSettled { [weak self] number in self?.settled(number, by: place) }
        }
    }

    /// SIGHUP has come.
    func hangUp() {
        let number: Int? = state.withLock { state in
            guard !state.isEnding else { return nil }
            state.number += 1
            state.open = Set(roles.indices)
            return state.number
        }
        guard let number else { return }
        notifier.reloading()
        guard !roles.isEmpty else { return notifier.ready(status: summary()) }
        for role in roles { role.ask(number) }
    }

    /// The process ends, and is not ready any more, whatever was under way.
    func end() {
        state.withLock { $0.isEnding = true }
        notifier.stopping()
    }

    private func settled(_ number: Int, by place: Int) {
        let isDone = state.withLock { state in
            // One that came meanwhile is still to be settled.
            guard !state.isEnding, number == state.number, state.open.remove(place) != nil else { return false }
            return state.open.isEmpty
        }
        if isDone { notifier.ready(status: summary()) }
    }
}
