import CWaybillRabbitMQ

/// The library below this module.
package enum AMQPLibrary {
    /// The version that is loaded, as librabbitmq says itself, such as `0.11.0`; any thread.
    package static var version: String { amqp_version().map { String(cString: $0) } ?? "" }
}
