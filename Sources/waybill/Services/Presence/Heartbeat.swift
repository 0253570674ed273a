import ServiceLifecycle
import WaybillTelemetry

/// Tells the service manager how the process does, as long as it does: ready, what it does, and that it goes on.
struct Heartbeat: Service {
    private let view: ProcessView
    private let notifier: SystemdNotifier

    /// How often the state is looked at.
    private static let interval = Duration.seconds(1)
    /// How long broker and store may take until the service counts as started all the same: it waits for them, and says so.
    private static let patience = Duration.seconds(10)

    init(view: ProcessView, notifier: SystemdNotifier) {
        self.view = view
        self.notifier = notifier
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { await beat() }
    }

    private func beat() async {
        let begin = ContinuousClock.now
        var isReady = false
        var isStopping = false
        var told = ""
        var lastBeat = begin
        while !Task.isCancelled {
            let now = ContinuousClock.now
            view.sample()
            let summary = view.summary
            if !isReady, view.isReady || now - begin >= Self.patience {
                isReady = true
                told = summary
                notifier.ready(status: summary)
            } else if summary != told {
                told = summary
                notifier.status(summary)
            }
            if view.isStopping, !isStopping {
                isStopping = true
                notifier.stopping()
            }
            if let interval = notifier.watchdogInterval, now - lastBeat >= interval, view.stuckLoops().isEmpty {
                lastBeat = now
                notifier.watchdog()
            }
            try? await Task.sleep(for: min(Self.interval, notifier.watchdogInterval.map { $0 / 2 } ?? Self.interval))
        }
    }
}
