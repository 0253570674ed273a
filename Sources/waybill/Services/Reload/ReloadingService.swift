import Logging
import ServiceLifecycle
import WaybillTelemetry

/// Runs a worker, and another one in its place whenever it is asked to read the configuration again (SIGHUP).
///
/// The new worker starts beside the old one, and only when it works the old one is stopped, so that nothing waits and
/// nothing is lost: both take their messages from the same queues. What cannot be read, or does not begin to work, changes
/// nothing. What to do when is decided by ``Succession``.
struct ReloadingService<Worker: ReplaceableWorker>: Service {
    /// How long a new worker may take until it works; broker and store may be restarting as well.
    private static var patience: Duration { .seconds(60) }

    private enum Event: Sendable {
        case hangUp(Int)
        case consumes(Int)
        case late(Int)
        case ended(Int, (any Error)?)
        case stop
    }

    private let first: PreparedWorker<Worker>
    private let view: ProcessView
    private let requests: ReloadRequests
    private let prepare: @Sendable () throws -> PreparedWorker<Worker>

    /// - Parameters:
    ///   - first: the worker to begin with.
    ///   - view: shows the workers.
    ///   - requests: when it is asked to read the configuration again.
    ///   - prepare: reads the configuration and makes another one; connects to nothing.
    init(
        first: PreparedWorker<Worker>,
        view: ProcessView,
        requests: ReloadRequests,
        prepare: @escaping @Sendable () throws -> PreparedWorker<Worker>
    ) {
        self.first = first
        self.view = view
        self.requests = requests
        self.prepare = prepare
    }

    func run() async throws {
        let (events, sender) = AsyncStream<Event>.makeStream()
        let hangUps = Task { [requests] in
            for await number in requests.numbers { sender.yield(.hangUp(number)) }
        }
        defer { hangUps.cancel() }
        // A task of its own: whoever cancels this one asks for an end, and the worker still drains.
        let work = Task { try await self.work(events, sender) }
        // Whoever looks is told first, also while a reload keeps the events waiting.
        let stop: @Sendable () -> Void = { [view] in
            view.stops()
            sender.yield(.stop)
        }
        try await withTaskCancellationHandler {
            try await withGracefulShutdownHandler {
                try await work.value
            } onGracefulShutdown: {
                stop()
            }
        } onCancel: {
            stop()
        }
    }

    private func work(_ events: AsyncStream<Event>, _ sender: AsyncStream<Event>.Continuation) async throws {
        var succession = Succession()
        var workers: [Int: Worker] = [:]
        var logger = first.logger
        var loggers: [Int: Logger] = [:]
        var failures: [Int: any Error] = [:]
        var lastRequest: Int?
        start(first.worker, 0, sender)
        workers[0] = first.worker
        for await event in events {
            var actions: [Succession.Action]
            switch event {
            case .hangUp(let number):
                lastRequest = number
                actions = succession.reload()
                view.reloadIsAskedAgain(succession.isAskedAgain)
                if succession.isAskedAgain {
                    logger.emit(ReloadEvent.waits(view.reload ?? "the reload before it ends"))
                }
            case .consumes(let number): actions = succession.consumes(number)
            case .late(let number):
                failures[number] = failures[number] ?? ReloadFailure.late
                actions = succession.isLate(number)
            case .ended(let number, let error):
                workers[number] = nil
                if let error { failures[number] = failures[number] ?? error }
                actions = succession.ended(number)
            case .stop: actions = succession.stop()
            }
            while !actions.isEmpty {
                switch actions.removeFirst() {
                case .start(let number):
                    logger.emit(ReloadEvent.reloading)
                    view.reloadIsAskedAgain(false)
                    do {
                        let prepared = try prepare()
                        loggers[number] = prepared.logger
                        if let last = workers[succession.working] { prepared.worker.inherit(from: last) }
                        workers[number] = prepared.worker
                        start(prepared.worker, number, sender)
                    } catch {
                        failures[number] = error
                        actions += succession.ended(number)
                    }
                case .stop(let number):
                    view.finishes(number)
                    workers[number]?.stop()
                case .announce(let number):
                    logger = loggers.removeValue(forKey: number) ?? logger
                    view.reloadIsDone()
                    workers[number]?.announce()
                    logger.emit(ReloadEvent.reloaded)
                case .refuse(let number):
                    let failure = failures.removeValue(forKey: number)
                    let reason = failure.map { explanation(of: $0) } ?? "it ended by itself"
                    view.reloadIsRefused(reason)
                    logger.emit(ReloadEvent.refused(reason))
                case .finish(let number):
                    if let failure = failures[number] { throw failure }
                    return
                }
            }
            if let request = lastRequest, !succession.isReloading {
                lastRequest = nil
                requests.settled(request)
            }
        }
    }

    private func start(_ worker: Worker, _ number: Int, _ sender: AsyncStream<Event>.Continuation) {
        view.began(number, worker)
        Task {
            defer { view.ended(number) }
            do {
                try await worker.run()
                sender.yield(.ended(number, nil))
            } catch {
                sender.yield(.ended(number, error))
            }
        }
        guard number > 0 else { return }
        Task {
            let end = ContinuousClock.now + Self.patience
            while !worker.isConsuming, .now < end { try? await Task.sleep(for: .milliseconds(50)) }
            sender.yield(worker.isConsuming ? .consumes(number) : .late(number))
        }
    }
}
