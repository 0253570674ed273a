import WaybillAMQP
import WaybillTelemetry

/// Publishes pages and rejected messages, waits until the broker has all of them, and says how the broker does.
///
/// *Thread:* the worker's.
struct PagePublisher {
    /// How long the broker may take for the confirms of what is published at once.
    private static let patience = Duration.seconds(30)

    private var publisher: ProbedPublisher
    private let condition: Condition

    /// Connects.
    ///
    /// - Parameters:
    ///   - endpoint: where.
    ///   - condition: is told whether the broker takes messages.
    /// - Throws: what keeps from connecting.
    init(_ endpoint: AMQPEndpoint, _ condition: Condition) throws(AMQPError) {
        publisher = try ProbedPublisher(endpoint)
        self.condition = condition
    }

    func close() { publisher.close() }

    /// How many messages wait in a queue.
    func depth(of queue: String) throws(AMQPError) -> Int { try publisher.depth(of: queue) }

    /// Answers the broker's heartbeats: nothing else does while nothing is published.
    mutating func tend() throws(AMQPError) {
        try publisher.tend()
        condition.report(publisher.finding)
    }

    /// - Throws: when one of them is not known to be with the broker; any of them may be.
    mutating func publish(_ publications: [AMQPPublication]) throws(AMQPError) {
        let condition = condition
        try publisher.publish(publications, patience: Self.patience) { condition.fails($0) }
        condition.holds()
    }
}

extension Condition {
    fileprivate func report(_ finding: ProbedPublisher.Finding) {
        switch finding {
        // Until the first answer what is known stays: mostly an alarm, or that the connection is new.
        case .unknown: break
        case .takes: holds()
        case .blocked(let words): fails(words)
        }
    }
}
