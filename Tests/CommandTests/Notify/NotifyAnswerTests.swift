import Testing
import WaybillTransfer

@testable import waybill

@Suite("Answers to a notification")
struct NotifyAnswerTests {
    private static func examine(_ status: Int, _ body: String) throws(CommandFailure) -> NotifyAnswer {
        try Notifier.examine(TransferResponse(status: status, body: Array(body.utf8)))
    }

    @Test(
        "recipients and devices are told, and that nobody is reached",
        arguments: [
            (#"{"id":"a","recipients":1,"devices":2}"#, "Success! 1 recipient, 2 devices."),
            (#"{"id":"a","recipients":1,"devices":0}"#, "Stored, but no device gets it: 1 recipient, 0 devices."),
            (#"{"id":"a","recipients":0,"devices":0}"#, "Stored, but no device gets it: 0 recipients, 0 devices."),
            (#"{"id":"a"}"#, "Success!"),
        ]
    )
    func reach(body: String, words: String) throws {
        let answer = try Self.examine(202, body)
        #expect((answer.id, answer.words) == ("a", words))
    }

    @Test("a level that is switched off is no failure, an unknown key is")
    func levelIsOff() throws {
        let off = #"{"success":false,"error":{"code":2,"message":"notification not sent"}}"#
        #expect(try Self.examine(200, off) == NotifyAnswer(silence: "notification not sent"))
        #expect(try Self.examine(204, "") == NotifyAnswer())
        let unknown = #"{"success":false,"error":{"code":1,"message":"the service key is unknown"}}"#
        let failure = #expect(throws: CommandFailure.self) { try Self.examine(200, unknown) }
        #expect(failure?.status == .badInput && failure?.text == "the service key is unknown")
    }
}
