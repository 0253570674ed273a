import Testing
import WaybillPushTransport
import WaybillSimulator
import WaybillTLS

@testable import WaybillFCM

/// What keeps messages back, and what becomes of them then.
@Suite struct FCMHeldTests {
    static func token(_ prefix: String) -> String { FCMFlowTests.token(prefix) }

    /// How a message ends that has no answer.
    static func failure(of message: FCMMessage, _ rig: FCMRig) async -> FCMError? {
        do throws(FCMError) {
            _ = try await rig.client.send(message)
            Issue.record("answered")
            return nil
        } catch {
            return error
        }
    }

    static func message(_ prefix: String) -> FCMMessage {
        FCMMessage(to: .token(token(prefix)), FCMContent(data: ["a": "1"]))
    }

    @Test(arguments: [FCMRefusal.badGateway, .unavailable, .wrongPath])
    func awayTokenEndpoint(_ refusal: FCMRefusal) async throws {
        let rig = try FCMRig(
            { $0.rules = [SimulatorRule(tokenPrefix: "/token", answer: refusal.answer())] },
            { $0.patience = .seconds(1) }
        )
        let error = try #require(await Self.failure(of: Self.message("a"), rig))
        #expect(error.code == .credentials)
        #expect(error.fate == .notSent)
        #expect(error.attempts == 0)
        #expect(error.cause?.contains("\(refusal.status)") == true)
        #expect(rig.listener.hears("credentials the token endpoint answered \(refusal.status)"))
        // It comes back, and everything goes on by itself.
        rig.server.setRules([])
        var isAccepted = false
        for _ in 0..<20 where !isAccepted { isAccepted = (try? await rig.send(Self.token("b")))?.isAccepted == true }
        #expect(isAccepted)
        #expect(rig.server.fcm?.deliveries.map(\.target) == [Self.token("b")])
    }

    @Test func refusedCredentialsEndNothingTwiceAndAreReplaced() async throws {
        let stranger = try SimulatorServiceAccount.generate()
        let known = try SimulatorServiceAccount.generate()
        let rig = try FCMRig(
            account: stranger,
            { $0.fcm = FCMSimulation(accounts: [known.account]) },
            { $0.patience = .seconds(1) }
        )
        let error = try #require(await Self.failure(of: Self.message("a"), rig))
        #expect(error.code == .credentials)
        #expect(error.cause?.contains("invalid_grant") == true)
        #expect(rig.client.driver.records[0].obstacle?.kind == .key)
        #expect(rig.client.driver.records[0].obstacle?.text == "the token endpoint refuses the key: invalid_grant")
        let file = Array(known.keyFile(tokenURI: "https://127.0.0.1:\(rig.port)/token").utf8)
        rig.client.replaceCredentials(
            try FCMAccessTokenSource(try FCMServiceAccount(json: file), trust: rig.trust)
        )
        #expect(try await rig.send(Self.token("b")).isAccepted)
        #expect(rig.server.fcm?.deliveries.map(\.target) == [Self.token("b")])
        #expect(rig.client.driver.records[0].obstacle == nil)
    }

    @Test func replacedCredentialsLoseNothing() async throws {
        let other = try SimulatorServiceAccount.generate(project: "others")
        let account = FCMAccount(
            clientEmail: other.clientEmail,
            keyID: other.keyID,
            projects: ["waybill-demo"],
            publicKey: other.privateKey.publicKey
        )
        let rig = try FCMRig({ $0.fcm?.accounts.append(account) })
        let file = Array(other.keyFile(tokenURI: "https://127.0.0.1:\(rig.port)/token").utf8)
        let source = try FCMAccessTokenSource(try FCMServiceAccount(json: file), trust: rig.trust)
        let messages = (0..<500).map { Self.message("r\($0)-") }
        var ends = 0
        for await end in rig.client.send(messages) {
            #expect((try? end.result.get())?.isAccepted == true)
            ends += 1
            if ends == 20 { rig.client.replaceCredentials(source) }
        }
        #expect(ends == 500)
        #expect(Set(rig.server.fcm?.deliveries.map(\.target) ?? []).count == 500)
        #expect(rig.server.fcm?.deliveries.count == 500)
        #expect(try await rig.send(Self.token("z")).isAccepted)
        #expect(rig.server.fcm?.soldTokens == 2)
        #expect(rig.listener.hears("the credentials were replaced"))
    }

    @Test func whatIsHeldByTheRateEndsWithThat() async throws {
        let rig = try FCMRig(
            { $0.rules = [SimulatorRule(registrationPrefix: "full", answer: FCMRefusal.quotaExceeded.answer())] },
            { $0.patience = .seconds(1) }
        )
        #expect(try await rig.send(Self.token("full")).action == .retryLater(.project))
        let error = try #require(await Self.failure(of: Self.message("a"), rig))
        #expect(error.code == .unreachable)
        #expect(error.cause?.contains("pace") == true)
    }

    @Test func urgentOnesAreNotSlowedByTheRamp() async throws {
        let rig = try FCMRig(
            { _ in },
            {
                $0.messagesPerSecond = 200
                $0.ramp = .seconds(3600)
            }
        )
        var messages = (0..<4).map { Self.message("o\($0)") }
        messages += (0..<8).map { number in
            var message = Self.message("u\(number)")
            message.isUrgent = true
            return message
        }
        var accepted = 0
        for await end in rig.client.send(messages) where (try? end.result.get())?.isAccepted == true { accepted += 1 }
        #expect(accepted == 12)
        let targets = rig.server.fcm?.deliveries.map(\.target) ?? []
        #expect(targets.prefix(8).allSatisfy { $0.hasPrefix("u") })
        #expect(targets.suffix(4).allSatisfy { $0.hasPrefix("o") })
    }

    @Test func aCancelledTaskTakesBackWhatHasNotLeft() async throws {
        let rig = try FCMRig({ $0.rules = [SimulatorRule(tokenPrefix: "/token", fault: .silence)] })
        let task = Task { () -> [FCMError.Code] in
            var codes: [FCMError.Code] = []
            for await end in rig.client.send((0..<30).map { Self.message("c\($0)") }) {
                if case .failure(let error) = end.result { codes.append(error.code) }
            }
            return codes
        }
        task.cancel()
        #expect(await task.value == Array(repeating: .cancelled, count: 30))
    }
}
