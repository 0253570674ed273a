/// One node of a broker.
package struct AMQPNode: Hashable, Sendable {
    /// A DNS name, or an address literal without brackets.
    package let host: String
    /// 5672 by default, 5671 for `amqps`.
    package let port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }
}

extension AMQPNode: CustomStringConvertible {
    /// Host and port as a URL has them.
    package var description: String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
