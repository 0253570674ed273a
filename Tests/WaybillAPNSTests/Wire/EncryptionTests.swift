import Testing
import WaybillAPNS
import WaybillPushTransport
import WaybillSimulator
import WaybillTLS

@Suite("TLS as a lane asks for it", .serialized)
struct EncryptionTests {
    private static func send(
        _ rehearsal: Rehearsal,
        _ adjust: (inout APNSConfiguration) -> Void
    ) throws -> (outcome: APNSOutcome, sender: Sender) {
        var lane = try rehearsal.lane(host: "localhost")
        lane.deadlines.unreachable = .seconds(2)
        adjust(&lane)
        let sender = try Sender([lane])
        sender.send([Fixture.request()])
        return (try sender.outcomes(1)[0], sender)
    }

    @Test(
        "The version is the caller's choice, of 1.2 and 1.3",
        arguments: zip([APNSTLSVersion.tls12, .tls13], ["TLSv1.2", "TLSv1.3"])
    )
    func versions(version: APNSTLSVersion, name: String) throws {
        let rehearsal = try Rehearsal()
        let (outcome, sender) = try Self.send(rehearsal) { $0.tlsVersions = version...version }
        #expect(outcome.result == .accepted)
        #expect(sender.lane.connections.first?.tlsVersion == name)
    }

    @Test("A server of another version is refused", arguments: [APNSTLSVersion.tls12, .tls13])
    func otherVersion(version: APNSTLSVersion) throws {
        let other: TLSVersion = version == .tls12 ? .tls13 : .tls12
        let rehearsal = try Rehearsal { $0.tlsVersions = other...other }
        let (outcome, sender) = try Self.send(rehearsal) { $0.tlsVersions = version...version }
        #expect(outcome.result.isNotSent(.unreachable()))
        try sender.wait { sender.listener.hears("TLS") }
    }

    @Test("A pinned authority lets the connection pass; another pin stops it, and the error names the key that came")
    func pins() throws {
        let rehearsal = try Rehearsal()
        let wrong = APNSPin(base64: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
        let (refused, sender) = try Self.send(rehearsal) { $0.pins = [wrong] }
        #expect(refused.result.isNotSent(.unreachable()))
        #expect(rehearsal.server.statistics.requests == 0)
        let line = try #require(sender.listener.heard.first { $0.contains("pin") })
        // The pin of the server's own key stands in the text: 44 characters of base64.
        let found = try #require(line.firstMatch(of: /[A-Za-z0-9+\/]{43}=/)).output
        let (accepted, _) = try Self.send(rehearsal) { $0.pins = [wrong, APNSPin(base64: String(found))] }
        #expect(accepted.result == .accepted)
    }

    @Test("A pin that is no digest is a mistake in the configuration")
    func malformedPin() throws {
        let rehearsal = try Rehearsal()
        var lane = try rehearsal.lane()
        lane.pins = [APNSPin(base64: "abc")]
        let error = #expect(throws: APNSSetupError.self) { try Sender([lane]) }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test("The authorities may come as bytes")
    func trustBytes() throws {
        let rehearsal = try Rehearsal()
        let pem = try TextFile.read(rehearsal.certificate.authorityFile)
        let (outcome, _) = try Self.send(rehearsal) { $0.trust = .certificates(pem) }
        #expect(outcome.result == .accepted)
    }

    @Test("A later connection resumes the session of an earlier one", arguments: [APNSTLSVersion.tls12, .tls13])
    func resumption(version: APNSTLSVersion) throws {
        let rehearsal = try Rehearsal {
            var rule = SimulatorConnectionRule()
            rule.goesAwayAfter = 1
            $0.connectionRules = [rule]
        }
        var lane = try rehearsal.lane(host: "localhost")
        lane.tlsVersions = version...version
        let sender = try Sender([lane])
        for index in 0..<3 {
            sender.send([Fixture.request(index: index)])
            #expect(try sender.outcomes(index + 1).last?.result == .accepted)
        }
        let resumed = rehearsal.server.statistics.connections.map(\.isResumed)
        #expect(resumed.first == false)
        #expect(resumed.dropFirst().contains(true))
    }
}
