package import Logging
import Synchronization

/// Writes through another handler, and leaves out what is too much of one kind.
///
/// All copies share one budget. Levels below `info` are not limited: who asks for them looks for something.
package struct LimitedLogHandler<Base: LogHandler>: LogHandler {
    private var base: Base
    private let budget: SharedLineBudget
    private let now: @Sendable () -> ContinuousClock.Instant

    package init(_ base: Base) {
        self.init(base) { .now }
    }

    init(_ base: Base, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.base = base
        self.now = now
        budget = SharedLineBudget()
    }

    package var logLevel: Logger.Level {
        get { base.logLevel }
        set { base.logLevel = newValue }
    }
    package var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue }
    }
    package var metadataProvider: Logger.MetadataProvider? {
        get { base.metadataProvider }
        set { base.metadataProvider = newValue }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { base[metadataKey: key] }
        set { base[metadataKey: key] = newValue }
    }

    package func log(event: LogEvent) {
        guard event.level >= .info else { return base.log(event: event) }
        guard case .write(let suppressed) = budget.decide(Self.kind(of: event), now: now()) else { return }
        guard suppressed > 0 else { return base.log(event: event) }
        var event = event
        event.metadata = (event.metadata ?? [:]).merging(["suppressed": .stringConvertible(suppressed)]) { $1 }
        base.log(event: event)
    }

    private static func kind(of event: LogEvent) -> LineKind {
        var kind = LineKind(name: event.metadata?[Logger.eventKey].map { "\($0)" } ?? "\(event.message)")
        if let lane = event.metadata?["lane"] { kind.lane = "\(lane)" }
        if let reason = event.metadata?["reason"].map({ "\($0)" }), reason.utf8.count <= LineKind.longestReason,
            !reason.contains(" ")
        {
            kind.reason = reason
        }
        return kind
    }
}

/// The budget of one logger and all its copies, on any thread.
private final class SharedLineBudget: Sendable {
    private let budget = Mutex(LineBudget())

    func decide(_ kind: LineKind, now: ContinuousClock.Instant) -> LineBudget.Decision {
        budget.withLock { $0.decide(kind, now: now) }
    }
}
