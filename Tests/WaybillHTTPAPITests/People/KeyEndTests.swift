import Foundation
import Logging
import Testing
import WaybillAccounts
import WaybillMongo
import WaybillThreads

@testable import WaybillHTTPAPI

/// The sweep that tells people of their services' keys that end: 30, 10 and one day before.
@Suite(.enabled(if: NoticeRig.isPossible), .timeLimit(.minutes(2)))
struct KeyEndTests {
    private static let day: Int64 = 86_400_000

    @Test func whoManagesAServiceIsToldOnceForEachTime() async throws {
        try await NoticeRig.run { rig in
            let now = WallClock.milliseconds()
            // Made when its end was further away than each of the three.
            for (name, left) in [
                ("soon", Self.day / 2), ("later", 9 * Self.day), ("far", 29 * Self.day), ("safe", 31 * Self.day),
            ] {
                try rig.api.pool.withClient { client throws(MongoError) in
                    let request = ServiceKeyRequest(
                        name: ServiceName(name)!,
                        kind: .live,
                        scopes: [.notify],
                        endsAt: now + left
                    )
                    _ = try? ServiceKeyStore(client: client, database: rig.api.database, most: 20)
                        .create(request, for: rig.service, by: rig.account, now: now - 60 * Self.day)
                }
            }
            let door = try rig.door()
            defer { door.stop() }
            // Twice, as two processes would.
            for _ in 0..<2 { await door.tellOfKeyEnds() }
            let mails = try rig.people.mails().filter { $0.subject.hasPrefix("A key of a service ends") }
            #expect(
                mails.map { "\($0.recipient) \($0.subject)" }.sorted() == [
                    "ada@example.com A key of a service ends in 29 days",
                    "ada@example.com A key of a service ends in 9 days",
                    "ada@example.com A key of a service ends within a day",
                ]
            )
            // When the next ones are due.
            let due = try rig.api.documents("service_keys").reduce(into: [String: Int64]()) { due, key in
                guard let name = key["name"]?.string, let at = key["notice_at"]?.date else { return }
                due[name] = (at - now + Self.day / 2) / Self.day
            }
            #expect(due == ["later": 8, "far": 19, "safe": 1])
        }
    }
    /// What the store takes nothing of holds up no other, and is told once to whoever runs this.
    @Test func oneThatCannotBeSettledHoldsUpNoOther() async throws {
        try await NoticeRig.run { rig in
            let now = WallClock.milliseconds()
            for (name, left) in [("stuck", 8 * Self.day), ("other", 9 * Self.day)] {
                try rig.api.pool.withClient { client throws(MongoError) in
                    let request = ServiceKeyRequest(
                        name: ServiceName(name)!,
                        kind: .live,
                        scopes: [.notify],
                        endsAt: now + left
                    )
                    _ = try? ServiceKeyStore(client: client, database: rig.api.database, most: 20)
                        .create(request, for: rig.service, by: rig.account, now: now - 60 * Self.day)
                }
            }
            try rig.require(in: "service_keys") { writer in writer.append("name") { $0.append("$ne", string: "stuck") }
            }
            let events = Guarded<[APIEvent]>([])
            let door = try rig.door { event in events.withLock { $0.append(event) } }
            defer { door.stop() }
            for _ in 0..<2 { await door.tellOfKeyEnds() }
            let subjects = try rig.people.mails().map(\.subject).filter { $0.hasPrefix("A key of a service ends") }
            #expect(subjects.sorted() == ["A key of a service ends in 8 days", "A key of a service ends in 9 days"])
            let stuck = try #require(
                try rig.api.documents("service_keys").first { $0["name"]?.string == "stuck" }?["_id"]?.string
            )
            let told = events.withLock { $0 }
            #expect(told.map(\.name) == ["api.untold"])
            #expect(told.first?.fields["key"] == "\(stuck)")
        }
    }
}
