import WaybillAMQP

/// Publishes pages and rejected messages, and waits until the broker has all of them.
///
/// *Thread:* the worker's.
struct PagePublisher {
    /// How long the broker may take for the confirms of what is published at once.
    private static let patience = Duration.seconds(30)

    private let connection: AMQPConnection

    init(_ endpoint: AMQPEndpoint) throws(AMQPError) {
        connection = try AMQPConnection.open(endpoint)
        do throws(AMQPError) {
            try connection.enableConfirms()
        } catch {
            connection.close()
            throw error
        }
    }

    func close() { connection.close() }

    /// How many messages wait in a queue.
    func depth(of queue: String) throws(AMQPError) -> Int { try connection.inspectQueue(queue).messages }

    /// Answers the broker's heartbeats: nothing else does while nothing is published.
    func tend() throws(AMQPError) {
        while let event = try connection.nextEvent(timeout: .zero) {
            if case .channelClosed(let error) = event { throw error }
        }
    }

    /// - Throws: when one of them is not known to be with the broker; any of them may be.
    func publish(_ publications: [AMQPPublication]) throws(AMQPError) {
        try connection.publishConfirmed(publications, patience: Self.patience)
    }
}
