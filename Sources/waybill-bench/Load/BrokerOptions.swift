import ArgumentParser
import WaybillAMQP
import WaybillMessages

/// Which broker and which queues.
struct BrokerOptions: ParsableArguments {
    @Option(help: "The broker: amqp://[user[:password]@]host[:port]/[vhost].")
    var broker: String

    @Option(help: "What the names of the queues begin with.")
    var prefix = "waybill"

    /// The exchange and the queues.
    var queues: QueueNames { QueueNames(prefix: prefix) }

    /// Opens a connection for the length of a closure.
    ///
    /// - Throws: `ExitCode` 69 after a line on standard error.
    func use<Result>(_ name: String, _ body: (AMQPConnection) throws(AMQPError) -> Result) throws -> Result {
        do throws(AMQPError) {
            let connection = try AMQPConnection.open(AMQPEndpoint(url: broker, connectionName: name))
            defer { connection.close() }
            return try body(connection)
        } catch {
            StandardError.print("\(name): \(error)")
            throw ExitCode(69)
        }
    }
}
