import Foundation
import Testing
import WaybillAccounts
import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding
import WaybillMongo
import WaybillMongoTestSupport
import WaybillTLS
import WaybillTelemetry

@testable import WaybillHTTPAPI

/// Records as they are written, over real sockets and from a real store.
@Suite(.timeLimit(.minutes(3)), .enabled(if: TestDatabase.isAvailable))
struct TailRoutesTests {
    private static let token = String(repeating: "00fc13ad", count: 8)

    private func id(_ number: Int) -> NotificationID {
        NotificationID(high: (1_700_000_000_000 + UInt64(number)) << 16 | 0x7000, low: 1 << 63 | UInt64(number))
    }

    /// A viewer for whom the store hands out what is written from now on.
    private func viewer(
        _ rig: APIRig.Running,
        _ key: String,
        _ query: String = "",
        after: String? = nil,
        receives: Int32? = nil
    ) async throws -> RawClient {
        let client = try RawClient(port: rig.port, receives: receives)
        client.ask("/v1/tail\(query)", key: key, headers: after.map { ["Last-Event-ID": $0] } ?? [:])
        try #require(try await client.reads("retry: "))
        return client
    }

    /// The last id that a viewer has been sent.
    private func lastID(_ client: RawClient) -> String? {
        client.text.matches(of: /id: ([0-9A-Za-z_-]+)\n/).last.map { String($0.1) }
    }

    @Test func recordsComeAsTheyAreWritten() async throws {
        try await APIRig.run { rig in
            try rig.record(id(1), client: "acme")
            let client = try await viewer(rig, try rig.key(.reader).text)
            #expect(client.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(client.text.lowercased().contains("content-type: text/event-stream\r\n"))
            #expect(client.text.lowercased().contains("cache-control: no-store\r\n"))
            try rig.record(id(2), client: nil, message: "a\nb\r\ndata: c\n\nevent: gap\u{2028}")
            try rig.record(id(3), client: "acme")
            #expect(try await client.reads("\(id(3))"))
            #expect(!client.text.contains("\(id(1))"))
            #expect(!client.text.contains("\nevent: gap"))
            #expect(!client.text.contains("\nevent: sampled"))
            let events = client.text.matches(of: /id: [0-9A-Za-z_-]+\nevent: delivery\ndata: ([^\n]*)\n\n/)
            #expect(events.count == 2)
            let record = try #require(
                events.first.flatMap { try? JSONSerialization.jsonObject(with: Data($0.1.utf8)) as? [String: Any] }
            )
            #expect(record["_id"] as? String == "\(id(2))")
            #expect(record["message"] as? String == "a\nb\r\ndata: c\n\nevent: gap\u{2028}")
            #expect(record["device_token"] as? String == "…13ad")
        }
    }

    @Test func eachKeySeesItsClientsAloneWhateverItAsks() async throws {
        try await APIRig.run { rig in
            let acme = try rig.key(.investigator, .only(["acme"])).text
            let rival = try rig.key(.reader, .only(["rival"])).text
            let own = try await viewer(rig, acme)
            let foreign = try await viewer(rig, acme, "?client=rival")
            let named = try await viewer(rig, acme, "?client=acme&outcome=!accepted&lane=parcels")
            let others = try await viewer(rig, rival)
            let all = try await viewer(rig, try rig.key(.reader).text)
            try rig.record(id(1), client: "rival", outcome: "rejected")
            try rig.record(id(2), client: nil, outcome: "rejected")
            try rig.record(id(3), client: "acme")
            try rig.record(id(4), client: "acme", outcome: "rejected")
            for client in [own, named, all] { #expect(try await client.reads("\(id(4))")) }
            #expect(try await others.reads("\(id(1))"))
            func seen(_ client: RawClient) -> [Int] { (1...4).filter { client.text.contains("\(id($0))") } }
            #expect(seen(own) == [3, 4])
            #expect(seen(named) == [4])
            #expect(seen(foreign) == [])
            #expect(seen(others) == [1])
            #expect(seen(all) == [1, 2, 3, 4])
            #expect(own.text.contains(Self.token))
            #expect(!others.text.contains(Self.token))
            // Nobody goes on from another's id, nor another one from theirs.
            let place = try #require(lastID(others))
            #expect(try await rig.ask("/v1/tail", key: acme, headers: ["Last-Event-ID": place]).status == 400)
            let back = try await viewer(rig, try rig.key(.investigator, .only(["rival"])).text, after: place)
            try rig.record(id(5), client: "rival")
            #expect(try await back.reads("\(id(5))"))
            #expect(!back.text.contains("event: gap"))
            #expect(!back.text.contains("\(id(1))"))
        }
    }

    @Test func whoComesBackHearsWhatWasWrittenMeanwhile() async throws {
        try await APIRig.run { rig in
            let key = try rig.key(.reader).text
            let first = try await viewer(rig, key)
            try rig.record(id(1), client: "acme")
            #expect(try await first.reads { $0.text.contains("\(id(1))") && $0.text.hasSuffix("\n\n\r\n") })
            let place = try #require(lastID(first))
            first.close()
            #expect(try await isTrue { rig.server.viewers == 0 })
            try rig.record(id(2), client: "acme")
            try rig.record(id(3), client: "acme")
            let second = try await viewer(rig, key, after: place)
            #expect(try await second.reads("\(id(3))"))
            #expect(second.text.contains("\(id(2))"))
            #expect(!second.text.contains("\(id(1))"))
            #expect(!second.text.contains("event: gap"))
            // Each time under another id, by which nobody counts.
            #expect(place != lastID(second))
        }
    }

    @Test func anIDOfAnotherLifeIsAGap() async throws {
        try await APIRig.run { rig in
            let key = try rig.key(.reader).text
            let other = try await viewer(rig, key)
            let shared = try rig.pool.withClient { (client) throws(MongoError) in
                try SharedSecret(client: client, database: rig.database).key(.cursors, now: 0)
            }
            let seal = Seal(key: shared, purpose: "waybill tail")
            let place = TailIDs(seal: seal, scope: .all).text(of: TailMark(stream: 1, position: 0))
            let client = try await viewer(rig, key, after: place)
            #expect(try await client.reads("event: gap\ndata: {\"reason\":\"the id is not known"))
            let foreign = Seal(key: [UInt8](repeating: 7, count: 32), purpose: "waybill tail")
            let own = try #require(lastID(other))
            var forged = own
            forged.replaceSubrange(own.startIndex...own.startIndex, with: own.hasPrefix("A") ? "B" : "A")
            for text in ["x", forged, TailIDs(seal: foreign, scope: .all).text(of: TailMark(stream: 1, position: 0))] {
                let answer = try await rig.ask("/v1/tail", key: key, headers: ["Last-Event-ID": text])
                #expect(answer.status == 400)
                #expect(answer.text.contains("Last-Event-ID"))
            }
            #expect(rig.refused(.forgedCursor) == 3)
        }
    }

    @Test func whileTheStoreSpeaksAViewerIsToldThatNothingIsMissing() async throws {
        try await APIRig.run(tail: TailLimits(aliveInterval: .milliseconds(1))) { rig in
            let client = try await viewer(rig, try rig.key(.reader).text)
            #expect(try await client.reads { $0.text.matches(of: /event: alive\ndata: {}\n\n/).count >= 2 })
        }
    }

    @Test func aStoreThatSaysNothingIsNotCalledAlive() async throws {
        // No answer is fresh enough.
        let limits = TailLimits(aliveInterval: .milliseconds(1), silence: .zero)
        try await APIRig.run(tail: limits) { rig in
            let client = try await viewer(rig, try rig.key(.reader).text)
            // In several seconds of looking at the time.
            for number in 1...3 {
                try rig.record(id(number), client: "acme")
                #expect(try await client.reads("\(id(number))"))
                try await Task.sleep(for: .seconds(1))
            }
            #expect(!client.text.contains("event: alive"))
        }
    }

    @Test func moreThanAnybodyReadsIsSampledAndCounted() async throws {
        try await APIRig.run { rig in
            let client = try await viewer(rig, try rig.key(.reader).text, "?client=acme")
            try rig.records((0..<1000).map(id), client: "acme")
            try rig.records((1000..<1100).map(id), client: "rival")
            func shown(_ client: RawClient) -> Int { client.text.matches(of: /event: delivery\n/).count }
            func leftOut(_ client: RawClient) -> Int {
                client.text.matches(of: /event: sampled\ndata: {"left_out":([0-9]+)}\n/)
                    .reduce(0) { $0 + (Int($1.1) ?? 0) }
            }
            #expect(try await client.reads { shown($0) + leftOut($0) == 1000 })
            #expect(leftOut(client) > 0)
            #expect(shown(client) >= 50)
        }
    }

    @Test func whoTakesTooLittleIsDroppedAndNobodyWaits() async throws {
        let limits = TailLimits(perSecond: 100_000, waitingBytes: 1 << 20)
        try await APIRig.run(tail: limits) { rig in
            let key = try rig.key(.reader).text
            let slow = try await viewer(rig, key, receives: 4096)
            let quick = try await viewer(rig, key)
            let message = String(repeating: "x", count: 400_000)
            var number = 0
            let deadline = ContinuousClock.now + .seconds(60)
            while rig.server.droppedViewers == 0, ContinuousClock.now < deadline {
                number += 1
                try rig.record(id(number), client: "acme", message: message)
                #expect(try await quick.reads("\(id(number))"))
            }
            #expect(rig.server.droppedViewers == 1)
            #expect(try await slow.readsEnd())
            #expect(!slow.text.contains("\(id(number))"))
            try rig.record(id(number + 1), client: "acme")
            #expect(try await quick.reads("\(id(number + 1))"))
        }
    }

    @Test func aKeyHasFourStreams() async throws {
        try await APIRig.run { rig in
            let key = try rig.key(.reader).text
            var clients: [RawClient] = []
            for _ in 0..<4 { clients.append(try await viewer(rig, key)) }
            for accept in ["text/event-stream", "text/csv", "application/x-ndjson"] {
                let path = accept == "text/event-stream" ? "/v1/tail" : "/v1/deliveries"
                let answer = try await rig.ask(path, key: key, headers: ["Accept": accept])
                #expect(answer.status == 429)
                #expect(answer.headers["retry-after"] == "5")
                #expect(answer.type == "application/problem+json")
            }
            // A page is no stream, a head neither, and another key has its own.
            #expect(try await rig.ask("/v1/deliveries", key: key).status == 200)
            let head = try await rig.ask("/v1/tail", key: key, method: "HEAD")
            #expect(head.status == 200)
            #expect(head.type == "text/event-stream")
            _ = try await viewer(rig, try rig.key(.reader).text)
            clients.removeLast().close()
            #expect(
                try await isTrue {
                    try await rig.ask("/v1/deliveries", key: key, headers: ["Accept": "text/csv"]).status == 200
                }
            )
        }
    }

    @Test func aStreamEndsWithItsKey() async throws {
        try await APIRig.run(tail: TailLimits(welcomeInterval: .seconds(1))) { rig in
            let (key, text) = try rig.key(.reader)
            let now = Int64(Date.now.timeIntervalSince1970 * 1000)
            let expiring = try await viewer(rig, try rig.key(.reader, expiresAt: now + 2000).text)
            let revoked = try await viewer(rig, text)
            let other = try await viewer(rig, try rig.key(.reader).text)
            let store = try rig.pool.pop()
            try KeyIssuer(client: store, database: rig.database).revoke(key.id, now: 1)
            rig.pool.push(store)
            // The last chunk of an answer that is whole.
            #expect(try await revoked.reads("\r\n0\r\n\r\n"))
            #expect(try await expiring.reads("\r\n0\r\n\r\n"))
            try rig.record(id(1), client: nil)
            #expect(try await other.reads("\(id(1))"))
        }
    }

    @Test func aStreamEndsWithItsSession() async throws {
        try await APIRig.run(tail: TailLimits(welcomeInterval: .seconds(1))) { rig in
            let answer = try await rig.ask(
                "/v1/session",
                method: "POST",
                headers: ["Content-Type": "application/json"],
                body: Data(#"{"key": "\#(try rig.key(.reader).text)"}"#.utf8)
            )
            let cookie = try #require(answer.headers["set-cookie"]?.split(separator: ";").first.map(String.init))
            let client = try RawClient(port: rig.port)
            client.send("GET /v1/tail HTTP/1.1\r\nHost: localhost\r\nCookie: \(cookie)\r\n\r\n")
            try #require(try await client.reads("retry: "))
            try rig.record(id(1), client: nil)
            #expect(try await client.reads("\(id(1))"))
            let own = ["Cookie": cookie, "Origin": "http://127.0.0.1:\(rig.port)"]
            #expect(try await rig.ask("/v1/session", method: "DELETE", headers: own).status == 204)
            #expect(try await client.reads("\r\n0\r\n\r\n"))
        }
    }

    @Test func theEndOfTheServerEndsAStream() async throws {
        var client: RawClient?
        try await APIRig.run { rig in client = try await viewer(rig, try rig.key(.reader).text) }
        let left = try #require(client)
        #expect(try await left.reads("\r\n0\r\n\r\n"))
        #expect(try await left.readsEnd())
    }

    @Test func whatCannotBeFollowedIsRefused() async throws {
        try await APIRig.run { rig in
            let key = try rig.key(.steward).text
            for query in ["token=abcd", "since=1h", "until=1h", "limit=5", "cursor=x", "outcome=lost", "priority=11"] {
                #expect(try await rig.ask("/v1/tail?\(query)", key: key).status == 400, "\(query)")
            }
            #expect(try await rig.ask("/v1/tail").status == 401)
            #expect(rig.server.viewers == 0)
        }
    }

    @Test func viewersAreCounted() async throws {
        try await APIRig.run { rig in
            let key = try rig.key(.reader).text
            let first = try await viewer(rig, key)
            let second = try await viewer(rig, key)
            var page = MetricsPage()
            rig.server.measure(into: &page)
            #expect(page.value("waybill_api_tail_viewers") == 2)
            #expect(page.value("waybill_api_streams") == 2)
            #expect(page.value("waybill_api_tail_dropped_viewers_total") == 0)
            first.close()
            second.close()
            #expect(try await isTrue { rig.server.viewers == 0 })
        }
    }

    /// Asks until the answer is yes, or for half a minute.
    private func isTrue(_ question: () async throws -> Bool) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < deadline {
            if try await question() { return true }
            try await Task.sleep(for: .milliseconds(50))
        }
        return false
    }
}

/// Without a store.
@Suite(.timeLimit(.minutes(2)))
struct TailPartsTests {
    @Test func anIDIsReadForItsOwnClientsAlone() {
        let key = [UInt8](repeating: 1, count: 32)
        let seal = Seal(key: key, purpose: "tests of tails")
        func ids(_ clients: Set<ExactName>) -> TailIDs { TailIDs(seal: seal, scope: .clients(clients)) }
        for position in [0, 1, 77, UInt64.max] {
            let mark = TailMark(stream: 5, position: position)
            let text = ids(["acme", "rival"]).text(of: mark)
            #expect(ids(["rival", "acme"]).mark(text) == mark)
            #expect(ids(["acme", "rival"]).text(of: mark) != text)
            for others in [["acme"], ["acmerival"], []] as [Set<ExactName>] { #expect(ids(others).mark(text) == nil) }
            #expect(TailIDs(seal: seal, scope: .all).mark(text) == nil)
            let cursors = Seal(key: key, purpose: "tests of cursors")
            #expect(TailIDs(seal: cursors, scope: .clients(["acme", "rival"])).mark(text) == nil)
            #expect(ids(["acme", "rival"]).mark(text + "0") == nil)
            #expect(ids(["acme", "rival"]).mark(String(text.dropLast())) == nil)
        }
        #expect(ids([]).mark("") == nil)
    }

    @Test func aRingForgetsTheOldest() {
        var ring = TailRing(most: 3, bytes: 1 << 20)
        #expect(ring.entries(from: 0)?.isEmpty == true)
        #expect(ring.entries(from: 1) == nil)
        for number in 1...20 {
            ring.append(.gap(.storeAway))
            #expect(ring.end == UInt64(number))
            let first = UInt64(max(0, number - 3))
            #expect(ring.entries(from: first)?.count == min(number, 3))
            #expect(ring.entries(from: ring.end)?.isEmpty == true)
            if first > 0 { #expect(ring.entries(from: first - 1) == nil) }
        }
    }
}
