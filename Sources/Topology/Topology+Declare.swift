package import AMQP

/// What `declare` did about one queue.
package struct QueueChange: Hashable, Sendable {
    package enum Change: Hashable, Sendable {
        case created
        case exists
    }

    package let name: String
    package let change: Change
}

extension Topology {
    /// Declares what is missing, and checks that the rest has the settings it should have.
    ///
    /// Nothing is ever deleted or changed; safe to repeat.
    ///
    /// - Parameters:
    ///   - connection: Its channel may be opened anew, so it should have nothing else to do.
    ///   - virtualHost: For the command in an error's text.
    /// - Returns: One entry for each queue.
    /// - Throws: `.mismatch` for the first queue with other settings; queues declared before it stay.
    package func declare(on connection: AMQPConnection, virtualHost: String? = nil) throws(TopologyError)
        -> [QueueChange]
    {
        var changes: [QueueChange] = []
        for queue in queues {
            let isThere = try exists(queue.name, on: connection)
            do {
                try connection.declareQueue(queue.name, arguments: queue.arguments.map { ($0.name, $0.value) })
            } catch {
                guard error.code == .preconditionFailed else { throw .broker(queue.name, error) }
                throw .mismatch(queue.name, virtualHost: virtualHost, cause: error)
            }
            changes.append(QueueChange(name: queue.name, change: isThere ? .exists : .created))
        }
        return changes
    }

    /// Checks that every queue is there, without declaring anything; settings are not compared.
    ///
    /// - Throws: `.missing`, naming all that are.
    package func verify(on connection: AMQPConnection) throws(TopologyError) {
        var missing: [String] = []
        for queue in queues where try !exists(queue.name, on: connection) { missing.append(queue.name) }
        guard missing.isEmpty else { throw .missing(missing) }
    }

    private func exists(_ queue: String, on connection: AMQPConnection) throws(TopologyError) -> Bool {
        do {
            if !connection.isChannelOpen { try connection.reopenChannel() }
            do {
                _ = try connection.inspectQueue(queue)
                return true
            } catch  where error.code == .notFound {
                try connection.reopenChannel()
                return false
            }
        } catch {
            throw .broker(queue, error)
        }
    }
}
