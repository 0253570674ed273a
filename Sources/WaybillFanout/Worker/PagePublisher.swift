import WaybillAMQP

/// Publishes pages and rejected messages, waits until the broker has all of them, and says how the broker does.
///
/// *Thread:* the worker's.
struct PagePublisher {
    /// How long the broker may take for the confirms of what is published at once.
    private static let patience = Duration.seconds(30)

    private var publisher: ProbedPublisher
    private let report: (ProbedPublisher.Finding) -> Void

    /// Connects.
    ///
    /// - Parameters:
    ///   - endpoint: where.
    ///   - report: is told whether the broker takes messages, as often as somebody looks.
    /// - Throws: what keeps from connecting.
    init(_ endpoint: AMQPEndpoint, _ report: @escaping (ProbedPublisher.Finding) -> Void) throws(AMQPError) {
        publisher = try ProbedPublisher(endpoint)
        self.report = report
    }

    func close() { publisher.close() }

    /// How many messages wait in a queue.
    func depth(of queue: String) throws(AMQPError) -> Int { try publisher.depth(of: queue) }

    /// Answers the broker's heartbeats: nothing else does while nothing is published.
    mutating func tend() throws(AMQPError) {
        try publisher.tend()
        report(publisher.finding)
    }

    /// - Throws: when one of them is not known to be with the broker; any of them may be.
    mutating func publish(_ publications: [AMQPPublication]) throws(AMQPError) {
        let report = report
        try publisher.publish(publications, patience: Self.patience) { report(.blocked($0)) }
        report(.takes)
    }
}
