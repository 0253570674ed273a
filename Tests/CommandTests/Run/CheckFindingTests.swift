import Foundation
import Testing
import WaybillTestSupport

@testable import waybill

@Suite("The findings of waybill check")
struct CheckFindingTests {
    @Test("offline, a sound configuration has one line per finding")
    func offline() throws {
        let installation = try Installation()
        let result = try installation.run("check", "--offline")
        #expect(result.status == 0)
        #expect(
            result.output == """
                ok configuration: 1 lane, no mistakes
                ok lanes[0].key_file (line 12): \(installation.folder.path)/key.p8 is a P-256 key, id ABC123DEFG

                """
        )
    }

    @Test("what cannot be reached is named part by part")
    func unreachable() throws {
        let result = try Installation().run("check")
        #expect(result.status == 69)
        let errors = result.output.split(separator: "\n").filter { $0.hasPrefix("error ") }
        #expect(errors.map { $0.prefix { $0 != ":" } } == ["error broker", "error store", "error lanes[0]"])
    }

    @Test(
        "before the first start that is named which the configuration has work for",
        arguments: [
            (false, false, "dispatch, prune, fanout and schedule,"),
            (true, false, "dispatch, prune, fanout, schedule and serve,"),
            (false, true, "dispatch, prune, fanout, schedule and hooks,"),
            (true, true, "dispatch, prune, fanout, schedule, serve and hooks,"),
        ]
    )
    func firstStart(serves: Bool, hasHooks: Bool, roles: String) {
        let advice = InstallationCheck.firstStart(serves: serves, hasHooks: hasHooks)
        #expect(advice.hasPrefix("Start waybill \(roles) or"))
    }

    @Test("a mistake comes before a permission, and a permission before what cannot be reached")
    func precedence() throws {
        #expect(try Installation(keyMode: 0o640).run("check").status == 77)
        #expect(try Installation(key: "no key").run("check").status == 78)
    }

    @Test("JSON has an object for each finding")
    func json() throws {
        let installation = try Installation()
        let key = "\(installation.folder.path)/key.p8"
        try FileManager.default.removeItem(atPath: key)
        let result = try installation.run("check", "--offline", "--json")
        #expect(result.status == 78)
        let objects = try result.output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(objects.map { $0["severity"] as? String } == ["ok", "error"])
        let error = try #require(objects.last)
        #expect(error["path"] as? String == "lanes[0].key_file")
        #expect(error["line"] as? Int == 12)
        #expect(error["category"] as? String == "configuration")
        #expect(error["message"] as? String == "\(key) does not exist")
    }

    @Test("accounts need a secret that can be used, and apps that something is sent to")
    func accounts() throws {
        let serve = """
            serve:
              listen: 127.0.0.1:8080
              page: false
              accounts:
                base_url: https://push.example.com
                root_secret_file: root
                apps: [ABCDE12345.com.example.parcels, ABCDE12345.com.example.other]
              notifire: {}
            retention:
            """
        let installation = try Installation(replacing: "retention:", with: serve)
        let missing = try installation.run("check", "--offline")
        #expect(missing.status == 78)
        #expect(missing.output.contains("error serve.accounts.root_secret_file: \(installation.folder.path)/root does"))
        _ = try installation.folder.write("root", String(repeating: "x", count: 44), mode: 0o644)
        #expect(try installation.run("check", "--offline").status == 77)
        _ = try installation.folder.write("root", String(repeating: "x", count: 44))
        let result = try installation.run("check", "--offline")
        #expect(result.status == 0)
        #expect(result.output.contains("ok serve.accounts.root_secret_file: tokens can be signed\n"))
        let warnings = result.output.split(separator: "\n").filter { $0.hasPrefix("warn ") }
        let expected = [
            "warn serve.accounts.apps: no lane sends to the app of ABCDE12345.com.example.other; is it misspelled?",
            """
            warn serve.notifire.services: is missing: people have accounts, and no services, devices and notifications. \
            Name the app and the lane that reaches it: services: {app: com.example.app, lane: NAME}.
            """,
            """
            warn clients: audiences, campaigns and notifications in the store reach no app for these clients, which have no \
            list of apps: notifications. List the apps of each that is to reach any in clients.NAME.apps; who sends to \
            tokens alone needs none. With the first name, retention.unknown decides about the clients that have none: write \
            retention.unknown: default to keep their expiry.
            """,
        ]
        #expect(warnings.map(String.init) == expected)
    }

    @Test("a flag's mistake is shown with the flag")
    func flag() throws {
        let installation = try Installation()
        let refused = try installation.run("check", "--offline", "--set", "broker.queue_prefix=a/b")
        #expect(refused.status == 78)
        #expect(refused.output.contains("error broker.queue_prefix (--set broker.queue_prefix): "))
        #expect(try installation.run("check", "--offline", "--set", "broker.queue_prefix=ab").status == 0)
    }
}
