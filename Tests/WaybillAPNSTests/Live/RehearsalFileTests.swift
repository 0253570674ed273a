import Foundation
import Testing
import WaybillAPNS
import WaybillPushTransport
import WaybillSimulator

/// Every ready rehearsal of `schemas/rehearsals`, played to the client, with both sides' books compared.
@Suite("Every rehearsal", .serialized)
struct RehearsalFileTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "schemas/rehearsals")

    static let files: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".json") }.sorted()
    }()

    private static let count = 200

    @Test("There are rehearsals")
    func thereAreSome() {
        #expect(Self.files.count > 20)
    }

    @Test("One outcome each, true to what the server did, and no rule of the protocol broken", arguments: files)
    func rehearse(file: String) throws {
        let rules = try RulesFile.read(Self.folder.appending(path: file).path)
        let rehearsal = try Rehearsal {
            rules.apply(to: &$0)
            $0.seed = 1
        }
        var lane = try rehearsal.lane(connections: 2)
        lane.deadlines.handshake = .milliseconds(500)
        lane.deadlines.settings = .milliseconds(500)
        // Where answers are slow, patience is what is rehearsed.
        lane.deadlines.request = file == "slow-answers.json" ? .seconds(8) : .seconds(1)
        lane.deadlines.pingInterval = .milliseconds(700)
        lane.deadlines.pingAnswer = .milliseconds(500)
        lane.deadlines.unreachable = .seconds(3)
        let sender = try Sender([lane])
        let tokens = (0..<Self.count).map { String($0 % 16, radix: 16) + Fixture.token($0).dropFirst() }
        sender.send(tokens.enumerated().map { Fixture.request(index: $0.offset, token: $0.element) })
        let outcomes = try sender.outcomes(Self.count, within: .seconds(60))

        let seen = Dictionary(grouping: rehearsal.server.recordedRequests) { $0.deviceToken ?? "" }
        for outcome in outcomes {
            let meetings = seen[tokens[outcome.index]] ?? []
            let accepted = meetings.count { $0.status == 200 }
            #expect(accepted <= 1, "\(outcome.index) was taken \(accepted) times without leave to repeat")
            switch outcome.result {
            case .answered(let answer) where answer.status == 200:
                #expect(accepted == 1, "\(outcome.index) is called accepted, and was not")
            case .answered(let answer):
                #expect(meetings.last?.status == answer.status, "\(outcome.index) got another answer")
            case .failed(.notSent(let cause)):
                #expect(accepted == 0, "\(outcome.index) is called not sent (\(cause)), and was accepted")
            case .failed(.unknown):
                // All of it left; whether it came is what nobody knows.
                break
            }
        }
        let statistics = rehearsal.server.statistics
        #expect(statistics.streamLimitViolations == 0)
        #expect(statistics.malformedRequests == 0)
        #expect(statistics.oversizedHeaderLists == 0)
    }
}
