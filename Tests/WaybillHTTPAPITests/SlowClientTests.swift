import Foundation
import NIOCore
import Testing
import WaybillAccounts
import WaybillCore
import WaybillMongoTestSupport

@testable import WaybillHTTPAPI

/// Clients that take their time: each is closed, and counted by what it was slow at.
@Suite(.enabled(if: TestDatabase.isAvailable), .timeLimit(.minutes(2)))
struct SlowClientTests {
    @Test func aHeadThatDoesNotEndIsOne() async throws {
        try await APIRig.run(patience: ClientPatience(head: .seconds(1))) { rig in
            let key = try rig.key(.reader).text
            let idle = try RawClient(port: rig.port)
            let kept = try RawClient(port: rig.port)
            kept.ask("/v1/status", key: key)
            let slow = try RawClient(port: rig.port)
            slow.send("GET /v1/status HTTP/1.1\r\nHost: local")
            for client in [idle, kept, slow] { #expect(try await client.readsEnd()) }
            #expect(kept.text.hasPrefix("HTTP/1.1 200 "))
            // Who asks for nothing is not slow.
            #expect(rig.closed(.slowHead) == 1)
            let second = try RawClient(port: rig.port)
            second.ask("/v1/status", key: key)
            #expect(try await second.reads("\r\n\r\n"))
            second.send("GET ")
            #expect(try await second.readsEnd())
            #expect(rig.closed(.slowHead) == 2)
        }
    }

    @Test func aBodyThatDoesNotEndIsOne() async throws {
        try await APIRig.run(patience: ClientPatience(body: .seconds(1))) { rig in
            let client = try RawClient(port: rig.port)
            client.send("POST /v1/session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n")
            client.send("Content-Length: 100\r\n\r\n{")
            #expect(try await client.readsEnd())
            #expect(client.text.hasPrefix("HTTP/1.1 408 "), "\(client.text.prefix(80))")
            #expect(rig.closed(.slowBody) == 1)
            #expect(rig.closed(.slowHead) == 0)
        }
    }

    @Test func whoDoesNotReadIsOne() async throws {
        try await APIRig.run(patience: ClientPatience(reading: .seconds(1))) { rig in
            let key = try rig.key(.reader).text
            for number in 0..<200 {
                try rig.record(
                    NotificationID(high: 0x018B_CFE5_6800_7000, low: 0x8000_0000_0000_0000 | UInt64(number)),
                    client: "acme",
                    message: String(repeating: "x", count: 4000)
                )
            }
            let client = try RawClient(port: rig.port, receives: 4096)
            // More than the system holds for both ends, and no more than a key may ask at once.
            for _ in 0..<APILimits.burst { client.ask("/v1/deliveries?limit=200", key: key) }
            let deadline = ContinuousClock.now + .seconds(30)
            while rig.closed(.slowReader) == 0, ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(rig.closed(.slowReader) == 1)
            // The rest of what the system held, and then the end.
            #expect(try await client.readsEnd())
        }
    }
}
