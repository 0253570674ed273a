/// How to reach RabbitMQ, and how much to take from it.
package struct BrokerSettings: Sendable {
    /// `amqp://` or `amqps://`, without a password: that is in ``password``, wherever it was written.
    package var url: String
    package var password: Secret?
    /// PEM file with the authorities for `amqps`; `nil` means the system's.
    package var caFile: String?
    /// PEM file with the certificate to show the broker; only with `amqps`, and with ``privateKeyFile``.
    package var certificateFile: String?
    /// PEM file with its private key.
    package var privateKeyFile: String?
    /// What the names of all queues begin with.
    package var queuePrefix: String
    /// Numbered dispatch queues beside the plain one; 0 when nothing is said.
    package var dispatchQueues: Int
    /// Notifications that a dispatcher may hold at a time.
    package var maxInFlight: Int
    /// Its HTTP API; `nil` asks over AMQP alone.
    package var management: BrokerManagement?

    package static let defaultMaxInFlight = 20_000

    package init(
        url: String,
        password: Secret? = nil,
        caFile: String? = nil,
        certificateFile: String? = nil,
        privateKeyFile: String? = nil,
        queuePrefix: String = "waybill",
        dispatchQueues: Int = 0,
        maxInFlight: Int = Self.defaultMaxInFlight,
        management: BrokerManagement? = nil
    ) {
        self.url = url
        self.password = password
        self.caFile = caFile
        self.certificateFile = certificateFile
        self.privateKeyFile = privateKeyFile
        self.queuePrefix = queuePrefix
        self.dispatchQueues = dispatchQueues
        self.maxInFlight = maxInFlight
        self.management = management
    }
}
