package import AMQP

/// Why the queues are not as they should be.
package struct TopologyError: Error, Sendable {
    package enum Code: Sendable {
        /// A queue exists with other settings.
        case mismatch
        /// Queues are missing.
        case missing
        /// The broker failed or refused; see ``TopologyError/cause``.
        case broker
    }

    package let code: Code
    /// The queues in question.
    package let queues: [String]
    /// What is wrong and what to do about it.
    package let text: String
    /// The broker's own error, if there is one.
    package let cause: AMQPError?

    static func missing(_ queues: [String]) -> Self {
        Self(
            code: .missing,
            queues: queues,
            text: "missing: \(queues.joined(separator: ", ")); declare with: waybill init",
            cause: nil
        )
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

    static func broker(_ queue: String, _ cause: AMQPError) -> Self {
        Self(code: .broker, queues: [queue], text: cause.description, cause: cause)
    }
}

extension TopologyError: CustomStringConvertible {
    package var description: String { text }
}
