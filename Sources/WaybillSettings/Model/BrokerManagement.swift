/// How to reach the HTTP API of RabbitMQ's management plugin, which tells what AMQP does not.
package struct BrokerManagement: Sendable {
    /// `http://` or `https://`, without user, password and a slash at its end.
    package var url: String
    /// A user with the tag `monitoring`; the broker's own by default.
    package var user: String?
    package var password: Secret?
    /// PEM file with the authorities for `https`; `nil` means the system's.
    package var caFile: String?

    package init(url: String, user: String? = nil, password: Secret? = nil, caFile: String? = nil) {
        self.url = url
        self.user = user
        self.password = password
        self.caFile = caFile
    }
}
