import Foundation
import Glibc
import Testing
import WaybillAccounts
import WaybillMongoTestSupport
import WaybillSettings

@testable import WaybillHTTPAPI

/// Clients that open connections and ask nothing.
@Suite(.enabled(if: TestDatabase.isAvailable)) struct WaitingConnectionsTests {
    @Test func whoAsksNothingKeepsNobodyOut() async throws {
        try await APIRig.run { rig in
            let key = try rig.key(.reader).text
            var slow: [Int32] = []
            defer { for socket in slow { close(socket) } }
            // More than there may be at all.
            for _ in 0..<(APILimits.connections + 20) {
                let socket = try #require(Self.connect(to: rig.port))
                slow.append(socket)
                _ = send(socket, "GET /v1/status HTTP/1.1\r\n", 25, Int32(MSG_NOSIGNAL))
            }
            #expect(try await rig.ask("/v1/status", key: key).status == 200)
            // The first of them had to go, long before its time for a request was up; the last one has not.
            #expect(Self.hasEnded(slow[0], within: 15_000))
            #expect(!Self.hasEnded(slow[slow.count - 1], within: 0))
            #expect(
                try #require(rig.closed(.crowded)) >= Double(APILimits.connections + 20 - APILimits.waitingConnections)
            )
        }
    }

    @Test func whoAsksWithoutAKeyAgainAndAgainKeepsNobodyOut() async throws {
        try await APIRig.run { rig in
            let key = try rig.key(.reader).text
            // More than there may be at all, and all of them busy: their next requests are there before the first answer.
            let requests = String(repeating: "GET /nothing HTTP/1.1\r\nHost: h\r\n\r\n", count: 200)
            let strangers = try (0..<(APILimits.connections + 20)).map { _ in try RawClient(port: rig.port) }
            for stranger in strangers { stranger.send(requests) }
            #expect(try await rig.ask("/v1/status", key: key).status == 200)
            let last = strangers[strangers.count - 1]
            #expect(try await last.readsEnd())
            #expect(last.text.contains("HTTP/1.1 404"))
            let answers = strangers.count { $0.text.components(separatedBy: "HTTP/1.1 404").count > 200 }
            #expect(answers == 0)
        }
    }

    @Test func aStrangersAnswersEndConnectionsWhereTheyAreTooMany() async throws {
        try await APIRig.run { rig in
            let stranger = try RawClient(port: rig.port)
            stranger.send(String(repeating: "GET /nothing HTTP/1.1\r\nHost: h\r\n\r\n", count: 200))
            #expect(try await stranger.readsEnd())
            let answers = stranger.text.components(separatedBy: "HTTP/1.1 404").count - 1
            // The last one has said so, and is whole.
            #expect(answers >= APILimits.burst && answers < 200)
            #expect(stranger.text.lowercased().contains("connection: close"))
            #expect(stranger.text.hasSuffix("}\n"))
        }
    }

    private static func connect(to port: Int) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, length) }
        }
        return status == 0 ? descriptor : nil
    }

    private static func hasEnded(_ socket: Int32, within milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, milliseconds) > 0 else { return false }
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, 0) <= 0
    }
}
