import Testing
import WaybillFCM
import WaybillSimulator

@Suite struct FCMFlowTests {
    static func token(_ prefix: String) -> String { prefix + RequestTests.token }

    @Test func sendsAndReadsAnswers() async throws {
        let rig = try FCMRig(
            {
                $0.rules = [
                    SimulatorRule(registrationPrefix: "dead", answer: FCMRefusal.unregistered.answer()),
                    SimulatorRule(registrationPrefix: "busy", answer: FCMRefusal.deviceQuotaExceeded.answer()),
                    SimulatorRule(registrationPrefix: "lost", fault: .close, times: 1),
                    SimulatorRule(registrationPrefix: "full", fault: .reset(.refusedStream), times: 2),
                ]
            }
        )
        let good = try await rig.send(Self.token("a"))
        #expect(good.isAccepted)
        #expect(good.name?.hasPrefix("projects/waybill-demo/messages/0:1%") == true)
        #expect(good.action == .none)
        let dead = try await rig.send(Self.token("dead"))
        #expect(dead.status == 404)
        #expect(dead.errorCode == .unregistered)
        #expect(dead.action == .removeToken)
        #expect(dead.retryAfter == nil)
        let busy = try await rig.send(Self.token("busy"))
        #expect(busy.action == .retryLater(.message))
        #expect(busy.retryAfter == .seconds(60))
        let bad = try await rig.send("tiny")
        #expect(bad.action == .checkToken)
        #expect(bad.violations == ["message.token"])
        #expect(try await rig.send(Self.token("full")).isAccepted)
        do throws(FCMError) {
            _ = try await rig.send(Self.token("lost"))
            Issue.record("answered")
        } catch {
            #expect(error.fate == .unknown)
            #expect(error.code == .connection)
        }
        var check = FCMMessage(to: .token(Self.token("b")), FCMContent())
        check.isValidatedOnly = true
        #expect(try await rig.client.send(check).name?.hasSuffix("fake_message_id") == true)
        let service = try #require(rig.server.fcm)
        #expect(service.deliveries.map(\.target) == [Self.token("a"), Self.token("full")])
        #expect(service.soldTokens == 1)
    }

    @Test func oneNewTokenForAllThatWereRefused() async throws {
        let rig = try FCMRig()
        let service = try #require(rig.server.fcm)
        #expect(try await rig.send(Self.token("first")).isAccepted)
        service.revokeTokens()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<150 {
                group.addTask { try await rig.send(Self.token("t\(number)")).isAccepted }
            }
            for try await isAccepted in group { #expect(isAccepted) }
        }
        #expect(service.soldTokens == 2)
        #expect(Set(service.deliveries.map(\.target)).count == 151)
        #expect(service.deliveries.count == 151)
        let statistics = rig.server.statistics
        #expect(statistics.streamLimitViolations == 0)
        #expect(statistics.protocolErrors == 0)
        #expect(statistics.connections.allSatisfy { $0.isOpen && $0.maxConcurrentStreams <= 100 })
    }

    @Test func losesNothingWhenConnectionsAreOld() async throws {
        let rig = try FCMRig(
            {
                $0.fcm?.maximumAge = .milliseconds(50)
                $0.fcm?.drainTime = .milliseconds(20)
            }
        )
        for number in 0..<60 { #expect(try await rig.send(Self.token("n\(number)")).isAccepted) }
        var isReplaced = false
        for number in 60..<5000 where !isReplaced {
            #expect(try await rig.send(Self.token("n\(number)")).isAccepted)
            isReplaced = rig.server.statistics.connections.count > 3
        }
        #expect(isReplaced)
    }

    @Test func streamsTheEndsOfABatch() async throws {
        let rig = try FCMRig()
        var messages = (0..<250).map { FCMMessage(to: .token(Self.token("b\($0)")), FCMContent()) }
        messages[17].target = .topic("/topics/wrong")
        var ends: Set<Int> = []
        for await end in rig.client.send(messages) {
            #expect(ends.insert(end.index).inserted)
            switch end.result {
            case .success(let response): #expect(response.isAccepted)
            case .failure(let error): #expect(end.index == 17 && error.field == "topic")
            }
        }
        #expect(ends.count == 250)
        #expect(rig.server.fcm?.deliveries.count == 249)
        for await _ in rig.client.send([FCMMessage]()) { Issue.record("an end of nothing") }
        await rig.client.close(grace: .zero)
        for await end in rig.client.send([messages[0]]) {
            guard case .failure(let error) = end.result else {
                Issue.record("a closed client has sent")
                continue
            }
            #expect(error.code == .closed)
            #expect(error.fate == .notSent)
        }
    }

    @Test func feedsAndPaces() async throws {
        let rig = try FCMRig()
        let messages = AsyncStream<FCMMessage> { stream in
            for number in 0..<40 {
                stream.yield(FCMMessage(to: .token(Self.token("f\(number)")), FCMContent()))
            }
            stream.finish()
        }
        var ends: Set<Int> = []
        try await rig.client.send(contentsOf: messages, atMost: 7) { end in
            let response = try end.result.get()
            #expect(response.isAccepted)
            ends.insert(end.index)
        }
        #expect(ends == Set(0..<40))

        // What FCM says of the whole project holds everything back, unless no pace is kept.
        for pace in [9000, nil] {
            let full = try FCMRig(
                { $0.rules = [SimulatorRule(registrationPrefix: "full", answer: FCMRefusal.quotaExceeded.answer())] },
                {
                    $0.patience = .seconds(1)
                    $0.messagesPerSecond = pace
                }
            )
            #expect(try await full.send(Self.token("full")).action == .retryLater(.project))
            do throws(FCMError) {
                let answer = try await full.send(Self.token("a"))
                #expect(answer.isAccepted && pace == nil)
            } catch {
                #expect(pace != nil)
                #expect(error.fate == .notSent)
            }
        }
    }

    @Test func holdsWithoutATokenAndRecovers() async throws {
        let rig = try FCMRig(
            {
                $0.rules = [SimulatorRule(tokenPrefix: "/token", answer: FCMRefusal.badGateway.answer(), times: 1)]
            }
        )
        #expect(try await rig.send(Self.token("a")).isAccepted)
        let refused = try FCMRig(
            { $0.rules = [SimulatorRule(tokenPrefix: "/token", answer: FCMRefusal.badGateway.answer())] },
            { $0.patience = .seconds(1) }
        )
        do throws(FCMError) {
            _ = try await refused.send(Self.token("a"))
            Issue.record("answered")
        } catch {
            #expect(error.code == .credentials)
            #expect(error.fate == .notSent)
        }
        let stranger = try FCMRig(project: "somebody-elses")
        let answer = try await stranger.send(Self.token("a"))
        #expect(answer.status == 403)
        #expect(answer.detail == "IAM_PERMISSION_DENIED")
        #expect(answer.action == .fixConfiguration)
    }
}
