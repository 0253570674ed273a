import Glibc
import WaybillAMQP
import WaybillMessages
import WaybillThreads

/// Publishes so many messages and waits until the broker has confirmed each.
///
/// Without a rate it publishes as fast as the broker confirms. With one it is an open loop: message n is due at start +
/// n × interval whatever became of the others, and its stamp is that instant, so that time spent waiting for a busy
/// broker counts as latency instead of hiding it.
struct LoadRun {
    /// What was published, and how well the pace was kept.
    struct Report {
        var messages = 0
        var notifications = 0
        var dead = 0
        var bytes = 0
        /// From the first publication to the last confirm.
        var seconds = 0.0
        /// The longest time between the instant when a message was due and its publication; 0 without a rate.
        var latestMilliseconds = 0.0
    }

    let connection: AMQPConnection
    let exchange: String
    let queue: String
    let batchPrefix: String
    let notifications: Int
    let perMessage: Int
    /// Notifications a second; `nil` is as fast as possible.
    let rate: Double?
    /// The most messages that wait for their confirm.
    let window: Int
    var writer: MessageWriter

    private var open = ConfirmTracker<Void>()
    private var report = Report()

    init(
        connection: AMQPConnection,
        exchange: String,
        queue: String,
        batchPrefix: String,
        notifications: Int,
        perMessage: Int,
        rate: Double?,
        window: Int,
        writer: MessageWriter
    ) {
        self.connection = connection
        self.exchange = exchange
        self.queue = queue
        self.batchPrefix = batchPrefix
        self.notifications = notifications
        self.perMessage = perMessage
        self.rate = rate
        self.window = window
        self.writer = writer
    }

    /// - Throws: What the connection says, and `.publicationFailed` for a message that was returned or refused.
    mutating func run() throws(AMQPError) -> Report {
        try connection.enableConfirms()
        let start = MonotonicTime.now()
        var body: [UInt8] = []
        while writer.count < notifications {
            let count = min(perMessage, notifications - writer.count)
            var stamp = MonotonicTime.now()
            if let rate {
                let due = start.advanced(by: .nanoseconds(Int64(Double(writer.count) / rate * 1e9)))
                try wait(until: due)
                report.latestMilliseconds = max(report.latestMilliseconds, Self.milliseconds(from: due))
                stamp = due
            }
            try makeRoom()
            let batchID = "\(batchPrefix).\(report.messages)"
            writer.write(notifications: count, batchID: batchID, sent: stamp, into: &body)
            let properties = DispatchMessage.properties(
                messageID: batchID,
                timestamp: WallClock.milliseconds() / 1000
            )
            let sequence = try connection.publish(
                exchange: exchange,
                routingKey: queue,
                properties: properties,
                body: body
            )
            open.published((), as: sequence)
            report.messages += 1
            report.bytes += body.count
            if report.messages % 16 == 0 || rate != nil { try takeEvents() }
        }
        while open.count > 0 { try awaitEvent() }
        report.notifications = writer.count
        report.dead = writer.deadCount
        report.seconds = Self.milliseconds(from: start) / 1000
        return report
    }

    /// Sleeps precisely, and looks at the connection often enough for its heartbeats.
    private mutating func wait(until due: MonotonicTime) throws(AMQPError) {
        while true {
            try takeEvents()
            let now = MonotonicTime.now()
            guard now < due else { return }
            let end = min(due, now.advanced(by: .milliseconds(500))).nanoseconds
            var time = timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
            _ = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil)
        }
    }

    private mutating func makeRoom() throws(AMQPError) {
        while open.count >= window || connection.isBlocked { try awaitEvent() }
    }

    private mutating func takeEvents() throws(AMQPError) {
        while let event = try connection.nextEvent(timeout: .zero) { try note(event) }
    }

    private mutating func awaitEvent() throws(AMQPError) {
        guard let event = try connection.nextEvent(timeout: .seconds(60)) else {
            throw Self.failure("the broker has confirmed nothing for 60 s")
        }
        try note(event)
    }

    private mutating func note(_ event: AMQPEvent) throws(AMQPError) {
        switch event {
        case .confirmed(let tag, let multiple): _ = open.resolve(tag, multiple: multiple)
        case .refused: throw Self.failure("the broker has refused a message")
        case .returned(_, let text, _, _): throw Self.failure("a message came back: \(text)")
        case .channelClosed(let error): throw error
        case .delivery, .consumerCancelled, .blocked, .unblocked: break
        }
    }

    private static func failure(_ text: String) -> AMQPError {
        AMQPError(.publicationFailed, operation: "load", text: text, closesConnection: false)
    }

    private static func milliseconds(from instant: MonotonicTime) -> Double {
        Double(MonotonicTime.now().nanoseconds - instant.nanoseconds) / 1e6
    }
}
