import Testing
import WaybillSimulator
import WaybillThreads

/// One simulator that plays FCM, with an account.
final class FCMSimulationRig {
    let simulation: Simulation
    let account: SimulatorServiceAccount

    init(_ change: (inout SimulatorConfiguration) -> Void = { _ in }) throws {
        let account = try SimulatorServiceAccount.generate()
        self.account = account
        simulation = try Simulation { configuration, _ in
            configuration.fcm = FCMSimulation(accounts: [account.account])
            change(&configuration)
        }
    }

    func tokenRequest() throws -> Push {
        let now = WallClock.milliseconds() / 1000
        let claims =
            #"{"iss":"\#(account.clientEmail)","scope":"https://www.googleapis.com/auth/firebase.messaging","#
            + #""aud":"https://localhost/token","iat":\#(now),"exp":\#(now + 3600)}"#
        let form = try account.form(header: FCMAssertionCheckTests.header, claims: claims)
        return request("/token", form, authorization: nil)
    }

    func request(_ path: String, _ body: String, authorization: String?) -> Push {
        var push = Push(token: "", authorization: authorization)
        push.path = path
        push.topic = nil
        push.pushType = nil
        push.payload = body
        return push
    }

    func send(_ token: String, to project: String = "waybill-demo", authorization: String?) -> Push {
        request(
            "/v1/projects/\(project)/messages:send",
            #"{"message":{"token":"\#(token)","data":{"a":"1"}}}"#,
            authorization: authorization
        )
    }

    /// Buys an access token.
    func authorization(_ client: TestClient) throws -> String {
        let answer = try client.answer(to: tokenRequest())
        let token = try JSONParser.parse(Array(answer.body.utf8))["access_token"]
        guard case .string(let text) = token else { throw TestClient.Failure(text: answer.body) }
        return "Bearer \(text)"
    }
}

@Suite struct FCMLiveTests {
    static let token = FCMMessageCheckTests.token

    @Test("Constant answers: any form buys a token, and each message gets a name of its own")
    func answersConstantly() throws {
        let constant = FCMConstantAnswers()
        let rig = try FCMSimulationRig {
            $0.answersConstantly = true
            $0.constantAnswer = { path, _ in constant.answer(path: path) }
        }
        let client = try rig.simulation.connect()
        try client.run { client.streamLimit == 100 }
        let authorization = try rig.authorization(client)
        let answers = try (0..<2).map { _ in
            try client.answer(to: rig.send("no token", to: "p1", authorization: authorization))
        }
        #expect(answers.map(\.status) == [200, 200])
        #expect(answers.allSatisfy { $0.body.hasPrefix(#"{"name":"projects/p1/messages/0:"#) })
        #expect(answers[0].body != answers[1].body)
    }

    @Test func sellsTokensAndTakesMessages() throws {
        let rig = try FCMSimulationRig {
            $0.rules = [
                SimulatorRule(
                    registrationPrefix: "dEad",
                    answer: FCMRefusal.unregistered.answer()
                ),
                SimulatorRule(registrationPrefix: "page", answer: FCMRefusal.badGateway.answer()),
            ]
        }
        let client = try rig.simulation.connect()
        try client.run { client.streamLimit == 100 }
        let authorization = try rig.authorization(client)
        let accepted = try client.answer(to: rig.send(Self.token, authorization: authorization))
        #expect(accepted.status == 200)
        #expect(accepted.body.hasPrefix(#"{"name":"projects/waybill-demo/messages/0:1%"#))
        #expect(accepted.headers["content-type"] == "application/json; charset=UTF-8")
        #expect(accepted.headers["apns-id"] == nil)
        let long = String(repeating: "x", count: 20)
        let cases: [(Push, Int, String)] = [
            (rig.send(Self.token, authorization: nil), 401, "CREDENTIALS_MISSING"),
            (rig.send(Self.token, authorization: "Bearer ya29.c.none"), 401, "UNAUTHENTICATED"),
            (rig.send(Self.token, to: "other", authorization: authorization), 403, "IAM_PERMISSION_DENIED"),
            (rig.send("dEad\(long)", authorization: authorization), 404, "UNREGISTERED"),
            (rig.send("dead\(long)", authorization: authorization), 200, "messages/"),
            (rig.send("page\(long)", authorization: authorization), 502, "<!DOCTYPE html>"),
            (rig.send("bad", authorization: authorization), 400, "message.token"),
            (rig.request("/batch", "{}", authorization: authorization), 404, "<!DOCTYPE html>"),
            (
                rig.request(
                    "/v1/projects/waybill-demo/messages:send",
                    #"{"validate_only":true,"message":{"topic":"news"}}"#,
                    authorization: authorization
                ), 200, "fake_message_id"
            ),
        ]
        for (request, status, part) in cases {
            let answer = try client.answer(to: request)
            #expect(answer.status == status, "\(request.path)")
            #expect(answer.body.contains(part), "\(answer.body)")
        }
        let service = try #require(rig.simulation.server.fcm)
        #expect(service.deliveries.map(\.target) == [Self.token, "dead\(long)"])
        #expect(service.soldTokens == 1)
        service.revokeTokens()
        #expect(try client.answer(to: rig.send(Self.token, authorization: authorization)).status == 401)
    }

    @Test func keepsToItsQuotasAndItsTokensEnd() throws {
        let rig = try FCMSimulationRig {
            $0.fcm?.messagesPerMinuteAndDevice = 1
            $0.fcm?.messagesPerMinute = 3
            $0.fcm?.errorForm = .reversed
        }
        let client = try rig.simulation.connect()
        let authorization = try rig.authorization(client)
        let tokens = ["a", "a", "b", "c"].map { $0 + Self.token }
        let answers = try tokens.map { try client.answer(to: rig.send($0, authorization: authorization)) }
        #expect(answers.map(\.status) == [200, 429, 200, 429])
        #expect(answers[1].body.contains("for device"))
        #expect(answers[1].headers["retry-after"] == "60")
        #expect(answers[3].body.contains("for project"))

        let short = try FCMSimulationRig { $0.fcm?.tokenLifetime = 0 }
        let other = try short.simulation.connect()
        let expired = try other.answer(to: short.send(Self.token, authorization: short.authorization(other)))
        #expect(expired.status == 401)
        #expect(expired.body.contains("ACCESS_TOKEN_EXPIRED"))
    }

    @Test func endsIdleConnections() throws {
        let rig = try FCMSimulationRig { $0.fcm?.idleTimeout = .milliseconds(50) }
        let client = try rig.simulation.connect()
        try client.run { !client.goAways.isEmpty }
        #expect(client.goAways.first?.debugData == "session_timed_out")
    }

    @Test func endsOldConnections() throws {
        let rig = try FCMSimulationRig { $0.fcm?.maximumAge = .milliseconds(50) }
        let client = try rig.simulation.connect()
        try client.run { !client.goAways.isEmpty }
        #expect(client.goAways.first == TestClient.GoAway(lastStream: .max, errorCode: 0, debugData: "max_age"))
    }

    @Test func endsConnectionsThatOnlyPing() throws {
        let rig = try FCMSimulationRig()
        let client = try rig.simulation.connect()
        _ = try rig.authorization(client)
        for number in 1...3 { client.ping(UInt64(number)) }
        try client.run { !client.goAways.isEmpty }
        #expect(client.goAways.first?.errorCode == 11)
        #expect(client.goAways.first?.debugData == "too_many_pings")
    }

    @Test func endsConnectionsWithOneStreamTooMany() throws {
        let rig = try FCMSimulationRig {
            $0.rules = [SimulatorRule(registrationPrefix: "", fault: .silence)]
            $0.fcm?.streamLimit = 7
        }
        let authorization = try rig.authorization(try rig.simulation.connect())
        let client = try rig.simulation.connect()
        try client.ignoreSettings()
        for number in 0..<8 { try client.send(rig.send("t\(number)\(Self.token)", authorization: authorization)) }
        try client.run { !client.goAways.isEmpty }
        #expect(client.goAways.first?.errorCode == 1)
        #expect(client.goAways.first?.debugData == "exceeded_max_concurrent_streams")
        #expect(rig.simulation.server.statistics.streamLimitViolations == 1)
    }

    @Test(arguments: zip(FCMLifetimeForm.allCases, [#""expires_in":3599"#, #""expires_in":"3599""#, ""]))
    func saysHowLongATokenHolds(_ form: FCMLifetimeForm, _ member: String) throws {
        let rig = try FCMSimulationRig { $0.fcm?.lifetimeForm = form }
        let answer = try rig.simulation.connect().answer(to: rig.tokenRequest())
        #expect(answer.status == 200)
        #expect(answer.body.contains("expires_in") == !member.isEmpty)
        #expect(member.isEmpty || answer.body.contains(member + ","))
    }

    @Test func keepsForPhonesThatAreAwayAndKnowsWhoIsGone() throws {
        let rig = try FCMSimulationRig()
        let client = try rig.simulation.connect()
        let authorization = try rig.authorization(client)
        let service = try #require(rig.simulation.server.fcm)
        service.leave(Self.token)
        #expect(try client.answer(to: rig.send(Self.token, authorization: authorization)).status == 200)
        #expect(service.events(of: Self.token).isEmpty)
        service.comeBack(Self.token)
        #expect(service.events(of: Self.token).count == 1)
        service.unregister(Self.token)
        let gone = try client.answer(to: rig.send(Self.token, authorization: authorization))
        #expect(gone.status == 404)
        #expect(gone.body.contains("UNREGISTERED"))
        service.register(Self.token)
        #expect(try client.answer(to: rig.send(Self.token, authorization: authorization)).status == 200)
        #expect(service.events(of: Self.token).count == 2)
    }

    @Test(.enabled(if: Curl.isInstalled), arguments: [["--http1.1"], ["--http1.1", "--no-alpn"], ["--http2"]])
    func speaksHTTP1(_ version: [String]) throws {
        let rig = try FCMSimulationRig()
        let status = try Curl.status(
            version + [
                "--cacert", rig.simulation.certificate.authorityFile, "--data", "{}",
                "https://localhost:\(rig.simulation.port)/v1/projects/waybill-demo/messages:send",
            ]
        )
        #expect(status == "401")
    }
}
