import Testing
import WaybillPushTransport
import WaybillSimulator
import WaybillThreads

@testable import WaybillFCM

@Suite struct TokenAnswerTests {
    @Test func reads() {
        func read(_ status: Int, _ body: String) -> TokenAnswer { TokenAnswer(status: status, body: Array(body.utf8)) }
        #expect(
            read(200, #"{"access_token":"ya29.x","expires_in":5,"token_type":"Bearer"}"#) == .token("ya29.x", life: 5)
        )
        #expect(read(200, #"{"access_token":"a","expires_in":"1800"}"#) == .token("a", life: 1800))
        #expect(read(200, #"{"access_token":"a"}"#) == .token("a", life: 3600))
        let passing: [(Int, String)] = [
            (200, "{}"), (200, "<html>"), (200, #"{"access_token":"a b"}"#), (200, #"{"access_token":7}"#),
            (200, #"{"access_token":"a","token_type":"mac"}"#), (500, "{}"), (502, "<html>"), (429, ""), (400, ""),
        ]
        for (status, body) in passing {
            guard case .refused(.token, _) = read(status, body) else {
                Issue.record("\(status) \(body)")
                continue
            }
        }
        let clock = #"{"error":"invalid_grant","error_description":"Invalid JWT: … Check your iat and exp values …"}"#
        if case .refused(.clock, _) = read(400, clock) {} else { Issue.record("not a matter of clocks") }
        for error in ["invalid_grant", "invalid_scope", "unauthorized_client", "disabled_client"] {
            guard case .refused(.key, let text) = read(400, #"{"error":"\#(error)"}"#) else {
                Issue.record("\(error)")
                continue
            }
            #expect(text.contains(error))
        }
        if case .refused(.key, _) = read(401, "<html>") {} else { Issue.record("401 is about the key") }
    }
}

@Suite struct AccessTokenMachineTests {
    static func at(_ seconds: Int) -> MonotonicTime {
        MonotonicTime(nanoseconds: 1).advanced(by: .seconds(seconds))
    }

    static func word(_ step: AccessTokenMachine.Step) -> String {
        switch step {
        case .use(let token): "use \(token.serial)"
        case .exchange: "exchange"
        case .wait: "wait"
        case .none: "none"
        }
    }

    @Test func renewsAtHalfLifeAndKeepsTheOldOne() {
        var machine = AccessTokenMachine()
        #expect(Self.word(machine.next(at: Self.at(0))) == "exchange")
        machine.began()
        #expect(Self.word(machine.next(at: Self.at(0))) == "wait")
        machine.obtained("a", life: 3600, at: Self.at(1))
        #expect(Self.word(machine.next(at: Self.at(1800))) == "use 1")
        #expect(Self.word(machine.next(at: Self.at(1801))) == "exchange")
        machine.began()
        #expect(Self.word(machine.next(at: Self.at(1802))) == "use 1")
        machine.failed("away", at: Self.at(1810), jitter: 0.5)
        #expect(machine.problem?.text == "away")
        #expect(Self.word(machine.next(at: Self.at(1810))) == "use 1")
        #expect(Self.word(machine.next(at: Self.at(1812))) == "exchange")
        machine.began()
        machine.failed("away", at: Self.at(3590), jitter: 0.5)
        #expect(Self.word(machine.next(at: Self.at(3590))) == "use 1")
        // The end, with nothing to send with; then it is bought again, and all is well.
        machine.began()
        #expect(Self.word(machine.next(at: Self.at(3600))) == "wait")
        machine.failed("away", at: Self.at(3600), jitter: 0.5)
        #expect(Self.word(machine.next(at: Self.at(3600))) == "none")
        #expect(Self.word(machine.next(at: Self.at(3700))) == "exchange")
        machine.began()
        machine.obtained("b", life: 3600, at: Self.at(3701))
        #expect(Self.word(machine.next(at: Self.at(3701))) == "use 2")
        #expect(machine.problem == nil)
    }

    @Test func aRefusedTokenIsReplacedOnce() {
        var machine = AccessTokenMachine()
        machine.began()
        machine.obtained("a", life: 3600, at: Self.at(0))
        let first = machine.refused(serial: 1, at: Self.at(100), jitter: 0.5)
        #expect(first == (.successor, true))
        machine.began()
        // A hundred were in flight: one exchange is enough for all.
        #expect(machine.refused(serial: 1, at: Self.at(100), jitter: 0.5) == (.successor, false))
        #expect(Self.word(machine.next(at: Self.at(100))) == "wait")
        machine.obtained("b", life: 3600, at: Self.at(101))
        #expect(machine.refused(serial: 1, at: Self.at(101), jitter: 0.5) == (.successor, false))
        #expect(Self.word(machine.next(at: Self.at(101))) == "use 2")
        // Refused again: no third one at once, and growing pauses after that.
        #expect(machine.refused(serial: 2, at: Self.at(102), jitter: 0.5) == (.none, false))
        #expect(Self.word(machine.next(at: Self.at(102))) == "none")
        var exchanges = 0
        for second in 102..<702 {
            guard case .exchange = machine.next(at: Self.at(second)) else { continue }
            exchanges += 1
            machine.began()
            machine.obtained("x", life: 3600, at: Self.at(second))
            _ = machine.refused(serial: 2 + exchanges, at: Self.at(second), jitter: 0.5)
        }
        #expect((5...20).contains(exchanges))
    }

    @Test func obeysAShortLife() {
        var machine = AccessTokenMachine()
        machine.began()
        machine.obtained("a", life: 4, at: Self.at(0))
        #expect(Self.word(machine.next(at: Self.at(1))) == "use 1")
        #expect(Self.word(machine.next(at: Self.at(2))) == "exchange")
    }
}

@Suite struct AssertionTests {
    /// RS256 makes the same signature of the same claims, and these have whole seconds.
    @Test(
        arguments: [
            (nil, 100, 100), (99, 100, 100), (100, 100, 101), (104, 100, 105), (109, 100, 110),
            // A clock that was set back.
            (110, 100, 100), (700, 100, 100),
        ] as [(Int64?, Int64, Int64)]
    )
    func notDatedInTheSecondOfTheLastOne(last: Int64?, now: Int64, expected: Int64) {
        #expect(FCMAccessTokenSource.date(after: last, now: now) == expected)
    }

    /// The endpoint answers nothing, hangs up, or resets the stream after it has read the form; then it recovers.
    @Test(arguments: [SimulatorFault.silence, .close, .reset(.internalError)])
    func everyExchangeHasAnAssertionOfItsOwn(_ fault: SimulatorFault) async throws {
        let rig = try FCMRig({ $0.rules = [SimulatorRule(tokenPrefix: "/token", fault: fault, times: 2)] })
        let deadline = Duration.milliseconds(300)
        let source = try FCMAccessTokenSource(rig.key, trust: rig.trust, proxy: nil, deadline: deadline)
        rig.client.replaceCredentials(source)
        let begin = MonotonicTime.now()
        #expect(try await rig.send(FCMFlowTests.token("a")).isAccepted)
        // Two time-outs, a pause of about a second and one of about two.
        let elapsed = MonotonicTime.now().duration(since: begin)
        #expect((.milliseconds(2250) ... .seconds(6)).contains(elapsed), "\(elapsed)")
        let forms = rig.server.recordedRequests.filter { $0.path == "/token" }.map(\.payload)
        #expect(forms.count == 3)
        #expect(Set(forms).count == 3)
        #expect(rig.server.fcm?.soldTokens == 1)
        #expect(source.problem == nil)
    }

    /// The first new exchange comes after about a second.
    @Test func aLostAnswerHoldsMessagesForASecond() async throws {
        let rig = try FCMRig({ $0.rules = [SimulatorRule(tokenPrefix: "/token", fault: .close, times: 1)] })
        let begin = MonotonicTime.now()
        #expect(try await rig.send(FCMFlowTests.token("a")).isAccepted)
        let elapsed = MonotonicTime.now().duration(since: begin)
        #expect((.milliseconds(750) ... .seconds(3)).contains(elapsed), "\(elapsed)")
        #expect(rig.listener.hears("credentials the token endpoint cannot be reached"))
    }
}

@Suite struct ServiceAccountTests {
    @Test func writesTheAssertionOfTheReference() throws {
        let simulated = try SimulatorServiceAccount.generate()
        let file = Array(simulated.keyFile(tokenURI: "https://oauth2.googleapis.com/token").utf8)
        let account = try FCMServiceAccount(json: file)
        let writer = AssertionWriter(account)
        let unsigned = writer.unsigned(at: 1_790_000_000 + AssertionWriter.backdating)
        #expect(unsigned.count == 370)
        let check = FCMAssertionCheck(FCMSimulation(accounts: [simulated.account]))
        let grant = try check.judge(
            form: writer.form(at: 1_790_000_000),
            endpoint: "https://oauth2.googleapis.com/token",
            at: 1_790_000_000
        )
        #expect(grant.projects == ["waybill-demo"])
        #expect("\(account)" == "key \(simulated.keyID) of project waybill-demo")
    }

    @Test func saysWhatIsWrong() throws {
        let good = try SimulatorServiceAccount.generate().keyFile(tokenURI: "https://localhost/token")
        let cases: [(String, String)] = [
            ("[]", "must be a JSON object"),
            (good.replacing("service_account", with: "authorized_user"), "authorized_user"),
            (good.replacing("project_id", with: "x"), "project_id"),
            (good.replacing("googleapis.com", with: "example.com"), "universe_domain"),
            (good.replacing("https://localhost/token", with: "http://localhost"), "token_uri"),
            (good.replacing("\\n", with: "\\\\n"), "backslash"),
        ]
        for (text, part) in cases {
            do throws(FCMSetupError) {
                _ = try FCMServiceAccount(json: Array(text.utf8))
                Issue.record("taken: \(part)")
            } catch {
                #expect(error.text.contains(part), "\(error)")
                #expect(!error.text.contains("MII"))
            }
        }
    }
}
