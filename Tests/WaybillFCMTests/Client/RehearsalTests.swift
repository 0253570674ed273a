import Testing
import WaybillFCM
import WaybillSimulator

/// Ready rehearsals of `schemas/rehearsals` for FCM, played to the client, with both sides' books compared.
@Suite struct FCMRehearsalTests {
    @Test(arguments: ["fcm-mass-unregistered.json", "fcm-outage.json", "fcm-streams.json"])
    func rehearse(file: String) async throws {
        let rules = try RulesFile.read(FCMSampleRunTests.rehearsal(file))
        // Without a pace, an outage is told of every message at once.
        let rig = try FCMRig(
            {
                rules.apply(to: &$0)
                $0.seed = 1
            },
            { $0.messagesPerSecond = nil }
        )
        let messages = (0..<300).map { FCMHeldTests.message("r\($0)-") }
        var (accepted, dead, later) = (0, 0, 0)
        for await end in rig.client.send(messages) {
            switch try end.result.get().action {
            case .none: accepted += 1
            case .removeToken: dead += 1
            case .retryLater: later += 1
            case let action: Issue.record("\(action)")
            }
        }
        #expect(accepted + dead + later == 300)
        let service = try #require(rig.server.fcm)
        let phones = Set(service.deliveries.map(\.target))
        #expect(service.deliveries.count == phones.count, "a message was taken twice")
        switch file {
        // Called dead, and delivered all the same.
        case "fcm-mass-unregistered.json": #expect(dead > 100 && phones.count == 300)
        case "fcm-outage.json": #expect(later == 300 && phones.isEmpty)
        default: #expect(accepted == 300 && phones.count == 300)
        }
        let statistics = rig.server.statistics
        #expect(statistics.streamLimitViolations == 0)
        #expect(statistics.protocolErrors == 0)
    }
}
