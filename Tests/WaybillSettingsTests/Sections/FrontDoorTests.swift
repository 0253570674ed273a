import Testing
import WaybillTestSupport

@testable import WaybillSettings

/// What the front door names of other sections must be there: one sentence each, with what is configured.
struct FrontDoorTests {
    private static let services = "serve.notifire.services"

    /// - Parameters:
    ///   - services: members of `serve.notifire.services`.
    ///   - testLane: of `serve.accounts.services`.
    ///   - lanes: further ones.
    ///   - rest: further sections.
    /// - Returns: what is wrong with the configuration.
    /// - Throws: what the file system says.
    private func errors(_ services: String, testLane: String? = nil, lanes: String = "", rest: String = "") throws
        -> [String]
    {
        let folder = try TemporaryFolder()
        let test = testLane.map { ", services: {test_lane: \($0)}" } ?? ""
        let text = """
            broker: {url: 'amqp://localhost/', queue_prefix: push}
            store: {url: 'mongodb://localhost/'}
            lanes:
              - {name: live, bundle_id: com.example.app, team_id: ABCDE12345, key_id: ABC123DEFG, key_file: a.p8}
              - {name: relayed, bundle_id: com.example.app, team_id: ABCDE12345, key_id: ABC123DEFG, key_file: a.p8,
                 endpoint: 'https://relay.example.com'}
              - {name: sandbox, environment: sandbox, bundle_id: com.example.app, team_id: ABCDE12345, key_id: ABC123DEFG,
                 key_file: a.p8}\(lanes)
            serve:
              listen: '127.0.0.1:8080'
              accounts: {base_url: 'https://push.example.com', root_secret_file: root\(test)}
              notifire: {services: {\(services)}}
            \(rest)

            """
        let loaded = ConfigurationLoader.load(
            path: try folder.write("waybill.yaml", text),
            environment: [:],
            role: .serve
        )
        return loaded.findings.filter { $0.severity == .error }.map { "\($0.path): \($0.message)" }
    }

    @Test(arguments: [
        ("app: com.example.app, lane: live", nil), ("app: com.example.app, lane: live", "sandbox"),
        ("app: com.example.app, lane: live", "relayed"),
        ("app: com.example.app, lane: sandbox, environment: sandbox", "sandbox"),
        ("app: com.example.app, lane: live, read_queue: pushed, write_queue: out", nil),
    ])
    func whatIsThere(services: String, testLane: String?) throws {
        #expect(try errors(services, testLane: testLane) == [])
    }

    @Test(arguments: [
        (
            "app: com.example.app, lane: life", nil, "lane",
            "names a lane that is none: life is not configured; configured: live, relayed, sandbox; did you mean live?"
        ),
        (
            "app: com.example.other, lane: live", nil, "app",
            "is com.example.other, and the lane live sends to com.example.app"
        ),
        (
            "app: com.example.app, lane: sandbox", nil, "environment",
            "is production, and the lane sandbox is of the environment sandbox"
        ),
        (
            "app: com.example.app, lane: live", "sandbocks", "test_lane",
            "names a lane that is none: sandbocks is not configured; configured: live, relayed, sandbox; did you mean sandbox?"
        ),
        (
            "app: com.example.app, lane: relayed", "live", "test_lane",
            "names live, which is a production lane: name one with environment: sandbox, or one whose endpoint is a simulator"
        ),
        (
            "app: com.example.app, lane: relayed", "relayed", "test_lane",
            "names relayed, which is serve.notifire.services.lane, too, for what is meant: name one with environment: sandbox, or one whose endpoint is a simulator"
        ),
        (
            "app: com.example.app, lane: live, read_queue: push.dispatch", nil, "read_queue",
            "is push.dispatch, and what begins with push. (broker.queue_prefix) is Waybill's own; name the thesis' queue"
        ),
        (
            "app: com.example.app, lane: live, read_queue: q, write_queue: q", nil, "write_queue",
            "is read_queue, q: what is written there would come back; name another one"
        ),
        (
            "app: com.example.app, lane: live, write_queue: amq.direct", nil, "write_queue",
            "must be 1 to 255 bytes without control characters, and not begin with amq."
        ),
    ])
    func whatLeadsNowhere(services: String, testLane: String?, key: String, words: String) throws {
        let path = key == "test_lane" ? "serve.accounts.services" : Self.services
        #expect(try errors(services, testLane: testLane) == ["\(path).\(key): \(words)"])
    }

    @Test("while a lane cannot be used, no name of one is called unknown")
    func unusableLane() throws {
        let lanes =
            "\n  - {name: relay2, bundle_id: com.example.app, team_id: short, key_id: ABC123DEFG, key_file: a.p8}"
        let errors = try errors("app: com.example.app, lane: relay2", lanes: lanes)
        #expect(errors.count == 1 && errors[0].hasPrefix("lanes[3].team_id: "), "\(errors)")
    }

    private static let android = """

          - {name: android, provider: fcm, project: acme-parcels, service_account_file: fcm.json}
          - {name: trial, provider: fcm, project: acme-parcels, service_account_file: fcm.json,
             endpoint: 'https://relay.example.com'}
          - {name: other, provider: fcm, project: acme-chat, service_account_file: fcm.json}
        """

    /// Lanes to Android phones, where the configuration names any.
    @Test(
        arguments: [
            ("lane: android", nil), ("lane: android, test_lane: trial", nil),
            (
                "lane: androit",
                "lane: names a lane that is none: androit is not configured; "
                    + "configured: live, relayed, sandbox, android, trial, other; did you mean android?"
            ),
            ("lane: live", "lane: names live, which sends to APNs; name a lane to FCM"),
            ("lane: other", "lane: names other, which sends to the project acme-chat, not to acme-parcels"),
            (
                "lane: trial, test_lane: android",
                "test_lane: names android, which reaches people's phones: name one whose endpoint is a simulator"
            ),
            (
                "lane: trial, test_lane: trial",
                "test_lane: names trial, which reaches people's phones: name one whose endpoint is a simulator"
            ),
        ] as [(String, String?)]
    )
    func lanesToAndroidPhones(fcm: String, words: String?) throws {
        let services = "app: com.example.app, lane: live, fcm: {project: acme-parcels, \(fcm)}"
        let expected = words.map { ["\(Self.services).fcm.\($0)"] } ?? []
        #expect(try errors(services, lanes: Self.android) == expected)
    }

    @Test func theClientReachesAllOfTheApps() throws {
        let services = "app: com.example.app, lane: live, client: notices, fcm: {project: acme-parcels, lane: android}"
        let client = "clients: {notices: {apps: [com.example.app]}}"
        #expect(
            try errors(services, lanes: Self.android, rest: client)
                == ["clients: notices sends for serve.notifire.services; name acme-parcels among its apps"]
        )
        let all = client.replacing("com.example.app]", with: "com.example.app, acme-parcels]")
        #expect(try errors(services, lanes: Self.android, rest: all) == [])
    }

    @Test func theClientMayBeNamed() throws {
        let services = "app: com.example.app, lane: live, client: notices"
        let retention = "retention: {default: 30d, unknown: reject, clients: {acme: 90d}}"
        #expect(
            try errors(services, rest: retention) == [
                "\(Self.services).client: is notices, which neither retention.clients nor clients names, and "
                    + "retention.unknown is reject; configured: acme"
            ]
        )
        #expect(try errors(services, rest: retention + "\nclients: {notices: {}}") == [])
        let strict = "producers: {strict: true, users: {shop: {clients: [acme]}}}"
        #expect(
            try errors(services, rest: strict) == [
                "\(Self.services).client: is notices, and no user of producers.users may send as that; configured: acme"
            ]
        )
        #expect(try errors(services, rest: strict.replacing("acme", with: "notices")) == [])
        #expect(try errors(services, rest: strict.replacing("strict: true", with: "strict: false")) == [])
    }
}
