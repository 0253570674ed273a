import ServiceLifecycle
import WaybillTelemetry
import WaybillThreads

/// Tells the service manager how the process does, as long as it does: ready, what it does, and that it goes on; and the process
/// itself when it did not run.
///
/// That it ends, or reads its configuration again, is told when that begins (``ReloadNotice``).
struct Heartbeat: Service {
    /// Of every role of the process.
    private let views: [ProcessView]
    private let notifier: SystemdNotifier

    /// How often the state is looked at.
    private static let interval = Duration.seconds(1)
    /// How long broker and store may take until the service counts as started all the same: it waits for them, and says so.
    private static let patience = Duration.seconds(10)

    init(views: [ProcessView], notifier: SystemdNotifier) {
        self.views = views
        self.notifier = notifier
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { await beat() }
    }

    private func beat() async {
        let begin = ContinuousClock.now
        var isReady = false
        var told = ""
        var lastBeat = begin
        defer { ProcessPulse.shared.end() }
        while !Task.isCancelled {
            let now = ContinuousClock.now
            ProcessPulse.shared.beat()
            for view in views { view.sample() }
            let summary = summary
            let mayBeReady = !views.contains(where: \.isStopping)
            if !isReady, mayBeReady, views.allSatisfy(\.isReady) || now - begin >= Self.patience {
                isReady = true
                told = summary
                notifier.ready(status: summary)
            } else if summary != told {
                told = summary
                notifier.status(summary)
            }
            if let interval = notifier.watchdogInterval, now - lastBeat >= interval,
                views.allSatisfy({ $0.stuckLoops().isEmpty })
            {
                lastBeat = now
                notifier.watchdog()
            }
            try? await Task.sleep(for: min(Self.interval, notifier.watchdogInterval.map { $0 / 2 } ?? Self.interval))
        }
    }

    /// One sentence on how things stand, role by role where there are several.
    var summary: String {
        guard views.count > 1 else { return views.first?.summary ?? "" }
        return views.map { "\($0.identity.role): \($0.summary)" }.joined(separator: "; ")
    }
}
