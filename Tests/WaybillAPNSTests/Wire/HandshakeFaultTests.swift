import Testing
import WaybillAPNS
import WaybillSimulator

/// Ways in which a connection can fail before it has carried anything.
private enum Stumble: String, CaseIterable, CustomTestStringConvertible {
    case refused, silentTLS, alert, withoutHTTP2, droppedTLS, silentHTTP2

    var rule: SimulatorConnectionRule {
        var rule = SimulatorConnectionRule(times: 1)
        switch self {
        case .refused: rule.refuses = true
        case .silentTLS: rule.handshake = .silence
        case .alert: rule.handshake = .alert
        case .withoutHTTP2: rule.handshake = .withoutH2
        case .droppedTLS: rule.handshake = .drop
        case .silentHTTP2: rule.isSilent = true
        }
        return rule
    }

    /// A word of what the observer hears.
    var word: String {
        switch self {
        case .refused, .alert, .droppedTLS: "TLS"
        case .silentTLS: "handshake took longer"
        case .withoutHTTP2: "does not speak HTTP/2"
        case .silentHTTP2: "no SETTINGS"
        }
    }

    var testDescription: String { rawValue }
}

@Suite("When a connection fails before it has carried anything", .serialized)
struct HandshakeFaultTests {
    @Test("The failure is told, and everything goes out over the next connection, once", arguments: Stumble.allCases)
    fileprivate func stumble(_ stumble: Stumble) throws {
        let rehearsal = try Rehearsal { $0.connectionRules = [stumble.rule] }
        var lane = try rehearsal.lane()
        lane.deadlines.handshake = .seconds(2)
        lane.deadlines.settings = .seconds(2)
        let sender = try Sender([lane])
        sender.send((0..<20).map { Fixture.request(index: $0) })
        for outcome in try sender.outcomes(20) {
            #expect(outcome.result == .accepted)
            #expect(outcome.attempts == 1)
        }
        #expect(sender.listener.hears(stumble.word), "\(sender.listener.heard)")
        #expect(rehearsal.server.statistics.requests == 20)
        #expect(sender.lane.connectionFailures == 1)
    }

    @Test("An address that swallows everything is overtaken by the next one")
    func blackHole() throws {
        let rehearsal = try Rehearsal(hostNames: ["apns.example"])
        let hole = try BlackHole(address: "127.0.0.2", port: rehearsal.port)
        var lane = try rehearsal.lane(host: "apns.example")
        lane.addresses = ["127.0.0.2", "127.0.0.1"]
        lane.deadlines.nextAddress = .milliseconds(50)
        let sender = try Sender([lane])
        sender.send([Fixture.request()])
        #expect(try sender.outcomes(1)[0].result == .accepted)
        #expect(sender.lane.connections.map(\.address) == ["127.0.0.1:\(rehearsal.port)"])
        #expect(sender.lane.connectionFailures == 0)
        withExtendedLifetime(hole) {}
    }

    @Test("Addresses that refuse cost no time, and the first that answers is taken")
    func refusingAddresses() throws {
        let rehearsal = try Rehearsal(hostNames: ["apns.example"])
        var lane = try rehearsal.lane(host: "apns.example")
        lane.addresses = ["127.0.0.3", "127.0.0.4", "127.0.0.1"]
        lane.deadlines.nextAddress = .seconds(3600)
        let sender = try Sender([lane])
        sender.send([Fixture.request()])
        #expect(try sender.outcomes(1)[0].result == .accepted)
    }

    @Test("One dead address among two keeps nobody from the other")
    func flakyAddress() throws {
        let rehearsal = try Rehearsal(hostNames: ["apns.example"]) {
            // Every connection says good-bye with its first request.
            var rule = SimulatorConnectionRule()
            rule.goesAwayAfter = 1
            $0.connectionRules = [rule]
        }
        var lane = try rehearsal.lane(host: "apns.example")
        lane.addresses = ["127.0.0.9", "127.0.0.1"]
        lane.reconnect.first = .seconds(600)
        lane.reconnect.longest = .seconds(600)
        let sender = try Sender([lane])
        for count in 1...5 {
            sender.send([Fixture.request(index: count)])
            #expect(try sender.outcomes(count).last?.result == .accepted)
        }
        #expect(rehearsal.server.statistics.connections.count >= 5)
    }
}
