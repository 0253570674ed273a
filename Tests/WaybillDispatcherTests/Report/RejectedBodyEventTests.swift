import Logging
import Testing
import WaybillAMQP
import WaybillCore
import WaybillMessages

@testable import WaybillDispatcher

/// What the log line of a rejected message says.
@Suite struct RejectedBodyEventTests {
    private static func event(_ reason: BodyRejection.Reason) -> DispatchEvent {
        .bodyRejected(
            RejectedBody(
                body: [],
                properties: AMQPProperties(messageID: "m-1"),
                reason: reason.rawValue,
                detail: "",
                firstSeen: 0,
                origin: RejectedProperties.Origin()
            )
        )
    }

    @Test(
        arguments: [
            (.unknownLane, "A message names a lane that is not configured"),
            (.unknownClient, "A message names a client that the configuration does not name"),
            (.forbiddenClient, "A producer may not send a message"), (.missingProperty, "A producer may not"),
            (.recordRefused, "A notification whose record the store refuses"),
            (.notJSON, "A message body cannot be read"), (.unknownField, "A message body cannot be read"),
        ] as [(BodyRejection.Reason, String)]
    )
    func onlyWhatCannotBeReadIsCalledThat(reason: BodyRejection.Reason, words: String) {
        let event = Self.event(reason)
        #expect("\(event.message)".hasPrefix(words))
        #expect(event.fields["message_id"] == "m-1")
    }

    @Test func anUnknownClientsLineSaysWhatBecomesOfItsRecords() {
        let fields = DispatchEvent.unknownClient("Acme", nearest: nil, retention: .keep).fields
        #expect(fields["records"] == "kept without expiry")
        #expect(fields["nearest"] == nil)
        #expect(DispatchEvent.unknownClient("Acme", nearest: "acme", retention: .reject).fields["nearest"] == "acme")
    }
}
