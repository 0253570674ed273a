import CWaybillRabbitMQ
import Testing

@testable import WaybillAMQP

struct ReplyErrorTests {
    /// What an operator reads during an outage is no word of the library.
    @Test(
        arguments: [
            (AMQP_STATUS_SOCKET_ERROR, "the connection to the broker broke"),
            (AMQP_STATUS_CONNECTION_CLOSED, "the broker has closed the connection"),
            (AMQP_STATUS_SOCKET_CLOSED, "the broker has closed the connection"),
            (AMQP_STATUS_HEARTBEAT_TIMEOUT, "the broker has said nothing for two heartbeats"),
            (AMQP_STATUS_TIMEOUT, "the broker gave no answer in time"),
            (AMQP_STATUS_HOSTNAME_RESOLUTION_FAILED, "no address is known for this host"),
        ]
    )
    func statusesOfAnOutageHavePlainWords(status: amqp_status_enum, words: String) {
        #expect(AMQPError(status: status.rawValue, operation: "read").description == "read: \(words)")
    }

    @Test(
        arguments: [
            (
                320, "CONNECTION_FORCED - broker forced connection closure with reason 'shutdown'",
                "the broker ends the connection, as when it stops: broker forced connection closure with reason 'shutdown' (320)"
            ),
            (320, "gone", "the broker ends the connection, as when it stops: gone (320)"),
            (501, "FRAME_ERROR - bad frame", "FRAME_ERROR - bad frame (501)"),
        ] as [(UInt16, String, String)]
    )
    func aBrokerThatStopsIsToldFromAFault(code: UInt16, text: String, words: String) {
        let pool = WirePool()
        let close = amqp_connection_close_t(
            reply_code: code,
            reply_text: pool.bytes(text),
            class_id: 0,
            method_id: 0
        )
        #expect(AMQPError(connectionClose: close, operation: "read").description == "read: \(words)")
    }
}
