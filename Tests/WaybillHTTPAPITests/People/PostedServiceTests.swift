import Testing
import WaybillCore
import WaybillMongo
import WaybillThreads

@testable import WaybillNotifications

/// What stands in the store and names a service, with real accounts.
@Suite(.timeLimit(.minutes(2)), .enabled(if: NoticeRig.isPossible))
struct PostedServiceTests {
    private static let route = NotificationRoute(
        client: "notifire",
        app: NoticeRig.app,
        environment: .production,
        lane: "parcels"
    )

    /// Somebody who wants to be left alone until a time is told of what begins after it, and of nothing before.
    @Test func whoIsToldIsDecidedByTheTimeAtWhichItBegins() async throws {
        try await NoticeRig.run { rig in
            let muted = try await rig.people.ask(
                "PUT",
                "/v1/services/\(rig.service)/membership",
                ["levels": ["error"], "muted_until": "2035-01-01T00:00:00Z"],
                token: rig.ada.access
            )
            #expect(muted.status == 200, "\(muted.text)")
            func voice(
                level: String = "error",
                at date: Int64? = nil
            ) throws -> Result<ServiceVoice?, PostedRefusal> {
                let document = BSONDocument { writer in
                    writer.append("service", string: rig.service)
                    writer.append("body", string: "Open")
                    writer.append("level", string: level)
                    if let date { writer.append("at", date: date) }
                }
                return try rig.api.pool.withClient { (client) throws(MongoError) in
                    try PostedServices(client: client, database: rig.api.database, route: Self.route)
                        .voice(document, now: WallClock.milliseconds())
                }
            }
            let refusal = PostedRefusal(
                "level",
                "nobody of the service wants to be told of it at that time",
                mayPass: true
            )
            let later: Int64 = 2_100_000_000_000
            #expect(try voice() == .failure(refusal))
            #expect(try voice(level: "info", at: later) == .failure(refusal))
            #expect(try voice(at: later).get()?.accounts == [rig.account])
            // What is to begin in the past begins now.
            #expect(try voice(at: 0) == .failure(refusal))
        }
    }
}
