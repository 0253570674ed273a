import ArgumentParser
import WaybillAMQP
import WaybillEncoding
import WaybillMessages

/// Says how many messages wait in queues.
struct DepthCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "depth",
        abstract: "Print how many messages wait in each queue, as one JSON object.",
        discussion: "Messages that a consumer holds without having acknowledged them are not among them."
    )

    @OptionGroup var broker: BrokerOptions

    @Flag(help: "Drop what waits, after counting it.")
    var purge = false

    @Argument(help: "Names of queues, without the prefix.")
    var queues: [String]

    func run() throws {
        let object = try broker.use("waybill-bench depth") { (connection) throws(AMQPError) in
            var object = JSONObject()
            for queue in queues {
                let name = broker.queues.named(queue)
                object.add(queue, try connection.inspectQueue(name).messages)
                if purge { try connection.purgeQueue(name) }
            }
            return object
        }
        print(object.text)
    }
}
