import Foundation
import Testing
import WaybillAccounts
import WaybillMongo

@testable import WaybillHTTPAPI
@testable import WaybillNotifications

/// What changes for an account, as server-sent events.
@Suite(.enabled(if: NoticeRig.isPossible), .timeLimit(.minutes(2)))
struct EventRoutesTests {
    /// The lines that a stream has sent so far.
    private final class Stream {
        private let client: RawClient

        init(_ rig: NoticeRig, _ token: String, after id: String? = nil) throws {
            client = try RawClient(port: rig.api.port)
            client.ask("/v1/events", key: token, headers: id.map { ["Last-Event-ID": $0] } ?? [:])
        }

        var seen: String {
            client.receive()
            // Between the chunks that carry it stand line ends of HTTP's own.
            return client.text.replacingOccurrences(of: "\r\n", with: "\n")
        }

        /// Names of events in their order.
        var events: [String] {
            seen.split(separator: "\n").filter { $0.hasPrefix("event: ") }.map { String($0.dropFirst(7)) }
        }

        var lastID: String? {
            seen.split(separator: "\n").last { $0.hasPrefix("id: ") }.map { String($0.dropFirst(4)) }
        }

        func end() { client.close() }
    }

    /// The end of what was missed is the store's to say: in a quiet night nothing is written behind it, and no clock is asked.
    @Test func whatWasMissedEndsWhereTheStoreSays() async throws {
        try await NoticeRig.run { rig in
            let (pool, database, account) = (rig.api.pool, rig.api.database, rig.account)
            let client = try pool.pop()
            defer { pool.push(client) }
            let tail = AccountEventTail(client: client, database: database, account: account)
            #expect(try tail.next() == nil)
            func write(_ until: Int64) throws {
                try pool.withClient { client throws(MongoError) in
                    let event = AccountEvent(readingAll: account, service: nil, until: until, at: until)
                    try AccountEventWriter(client: client, database: database).append([event])
                }
            }
            for until in [1, 2, 3] as [Int64] { try write(until) }
            var places: [AccountEventTail.Position] = []
            try await NoticeRig.until {
                if let entry = try tail.next() { places.append(entry.position) }
                return places.count == 3
            }
            let orders = places.compactMap(\.operationTime)
            #expect(orders.count == 3 && orders == orders.sorted())
            let now = try pool.withClient { client throws(MongoError) in try client.operationTime() }
            #expect(try #require(orders.last) <= #require(now))
            func missed(after place: AccountEventTail.Position, of account: String) throws -> [AccountEventTail
                .Position]?
            {
                try pool.withClient { client throws(MongoError) in
                    try AccountEventReplay.read(after: place, of: account, client, database: database)
                }?.map(\.position)
            }
            for (index, place) in places.enumerated() {
                let found = try #require(try missed(after: place, of: account))
                #expect(found.count == places.count - index - 1)
                // A place may be the event's own, or one behind it up to which the store has read: what follows is the same.
                for (number, other) in found.enumerated() {
                    #expect(try missed(after: other, of: account)?.count == found.count - number - 1)
                }
            }
            #expect(try missed(after: places[0], of: "acc_other") == [])
        }
    }

    @Test func whatChangesIsToldAndWhatWasMissedToo() async throws {
        try await NoticeRig.run { rig in
            let (ada, eve) = (try Stream(rig, rig.ada.access), try Stream(rig, rig.eve.access))
            defer { eve.end() }
            try await NoticeRig.until { ada.seen.contains("retry:") && eve.seen.contains("retry:") }
            let key = try rig.key([.notify])
            let sent = try await rig.send(key, ["level": "info", "body": "Done"])
            let id = try #require(sent.json["id"] as? String)
            try await NoticeRig.until { ada.events == ["notification"] }
            #expect(ada.seen.contains(id))
            let place = try #require(ada.lastID)
            ada.end()

            // While nobody listens, two things happen, and a suppressed one, which nobody is told of.
            #expect(
                try await rig.people.ask("PUT", "/v1/notifications/\(id)/acknowledged", token: rig.ada.access).status
                    == 200
            )
            #expect(try await rig.send(key, ["level": "warning", "body": "Slow"]).status == 202)
            #expect(try await rig.send(key, ["level": "error", "body": "Broken"]).status == 202)
            let again = try Stream(rig, rig.ada.access, after: place)
            try await NoticeRig.until { again.events.count >= 2 }
            #expect(again.events == ["acknowledged", "notification"])
            again.end()

            // A place that nobody has made says nothing of what was missed.
            let forged = try Stream(rig, rig.ada.access, after: "forged")
            try await NoticeRig.until { forged.events == ["reset"] }
            forged.end()
            #expect(eve.events.isEmpty)
        }
    }
}
