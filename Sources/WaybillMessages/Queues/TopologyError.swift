package import WaybillAMQP

/// Why the queues are not as they should be.
package struct TopologyError: Error, Sendable {
    package enum Code: Sendable {
        /// A queue exists with other settings.
        case mismatch
        /// Delay queues lead to the dispatch queue, as an earlier build of Waybill made them.
        case earlierBuild
        /// Queues or the exchange are missing.
        case missing
        /// The broker failed or refused; see ``TopologyError/cause``.
        case broker
    }

    package let code: Code
    /// The queues in question, or the exchange.
    package let queues: [String]
    /// What is wrong and what to do about it.
    package let text: String
    /// The broker's own error, if there is one.
    package let cause: AMQPError?
    /// Whether nothing that was looked for is there: nobody has declared anything yet.
    package private(set) var isUntouched = false

    static func missing(_ queues: [String], isAll: Bool) -> Self {
        var error = Self(
            code: .missing,
            queues: queues,
            text: "missing: \(queues.joined(separator: ", ")); declare with: waybill init",
            cause: nil
        )
        error.isUntouched = isAll
        return error
    }

    static func mismatch(_ queue: String, virtualHost: String?, cause: AMQPError) -> Self {
        let difference = InequivalentArgument(brokerText: cause.text).map { "\($0)" } ?? cause.text
        let host = virtualHost.map { "-p '\($0)' " } ?? ""
        return Self(
            code: .mismatch,
            queues: [queue],
            text: """
                queue \(queue) exists with other settings: \(difference). A queue's settings cannot be changed: move its \
                messages elsewhere, delete it with: rabbitmqctl \(host)delete_queue \(queue), and repeat: waybill init
                """,
            cause: cause
        )
    }

    static func earlierBuild(
        _ delayQueues: [String],
        dispatch: String,
        virtualHost: String?,
        cause: AMQPError
    ) -> Self {
        let host = virtualHost.map { "-p '\($0)' " } ?? ""
        let commands = delayQueues.map { "rabbitmqctl \(host)delete_queue \($0)" }.joined(separator: " && ")
        return Self(
            code: .earlierBuild,
            queues: delayQueues,
            text: """
                the delay queues lead to \(dispatch): an earlier build of Waybill made them, and delayed retries would not \
                be recognised there. Nothing was changed. Let the dispatchers of that build run, without producers, until \
                the delay queues and \(dispatch) are empty, then stop them; delete the delay queues with: \(commands); \
                and repeat: waybill init
                """,
            cause: cause
        )
    }

    static func exchangeMismatch(_ exchange: String, cause: AMQPError) -> Self {
        let difference = InequivalentArgument(brokerText: cause.text).map { "\($0)" } ?? cause.text
        return Self(
            code: .mismatch,
            queues: [exchange],
            text: """
                exchange \(exchange) exists with other settings: \(difference). Delete it with: \
                rabbitmqadmin delete exchange name=\(exchange), and repeat: waybill init
                """,
            cause: cause
        )
    }

    static func broker(_ queue: String, _ cause: AMQPError) -> Self {
        Self(code: .broker, queues: [queue], text: cause.description, cause: cause)
    }
}

extension TopologyError: CustomStringConvertible {
    package var description: String { text }
}
