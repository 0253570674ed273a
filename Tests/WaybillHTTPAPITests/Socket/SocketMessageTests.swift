import Testing

@testable import WaybillHTTPAPI

/// What clients say over a WebSocket.
struct SocketMessageTests {
    @Test(arguments: [
        (#"{"op": "identify", "token": "a"}"#, SocketMessage.identify(token: "a", lastEventID: nil)),
        (#"{"token": "a", "last_event_id": "b", "op": "identify"}"#, .identify(token: "a", lastEventID: "b")),
        (#" {"op":"heartbeat"} "#, .heartbeat),
    ])
    func whatIsUnderstood(text: String, message: SocketMessage) throws {
        #expect(try SocketMessage(text) == message)
    }

    @Test(arguments: [
        ("", "JSON object"), ("[]", "JSON object"), (#"{"op": "heartbeat"}{}"#, "JSON object"),
        (#"{"op": "identify"}"#, "token"),
        ("{}", "identify or heartbeat"), (#"{"op": "subscribe"}"#, "identify or heartbeat"),
        (#"{"op": "heartbeat", "token": "a"}"#, "identify or heartbeat"),
        (#"{"op": "identify", "token": 1}"#, "token must be a text"),
        (#"{"op": "identify", "token": ""}"#, "token must be a text"),
        (#"{"op": "identify", "token": "\u0000"}"#, "token must not hold the character U+0000"),
        (#"{"op": "identify", "token": "a", "token": "b"}"#, "token is there twice"),
        (#"{"op": "identify", "token": "a", "secret": "b"}"#, "last_event_id, op, token"),
    ])
    func whatIsNot(text: String, words: String) {
        let problem = #expect(throws: SocketClose.self) { try SocketMessage(text) }
        #expect(problem?.code == .badMessage)
        #expect(problem?.reason.contains(words) == true)
        #expect(problem?.reason.contains("secret") == false)
    }

    @Test func reasonsFitIntoAFrame() {
        #expect(SocketClose(.fault, String(repeating: "ž", count: 100)).reason.utf8.count == 122)
    }
}
