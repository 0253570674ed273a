import Testing
import WaybillAPNS
import WaybillPushTransport
import WaybillSimulator
import WaybillTLS
import WaybillTestSupport
import WaybillThreads

/// A simulated APNs with a key that it knows.
final class Rehearsal {
    let server: SimulatorServer
    let port: UInt16
    let key: ES256PrivateKey
    let certificate: SimulatorCertificate.Files
    private let directory: TemporaryFolder

    init(
        hostNames: [String] = ["localhost", "127.0.0.1"],
        _ adjust: (inout SimulatorConfiguration) -> Void = { _ in }
    ) throws {
        directory = try TemporaryFolder()
        let credentials = try SimulatorCredentials.generate()
        key = credentials.privateKey
        certificate = try SimulatorCertificate.make(in: directory.path, hostNames: hostNames)
        var configuration = SimulatorConfiguration(
            identity: TLSIdentity(
                certificateFile: certificate.certificateFile,
                privateKeyFile: certificate.privateKeyFile
            ),
            authentication: .keys([credentials.key])
        )
        adjust(&configuration)
        server = try SimulatorServer(configuration: configuration)
        port = try server.start()
    }

    deinit {
        server.stop()
    }

    func tokenSource() throws -> APNSProviderTokenSource {
        try APNSProviderTokenSource(teamID: "ABCDE12345", keyID: "ABC123DEFG", key: key)
    }

    /// A lane that leads to the simulator.
    func lane(host: String = "127.0.0.1", connections: Int = 1) throws -> APNSConfiguration {
        var lane = APNSConfiguration(
            endpoint: APNSEndpoint(host: host, port: port),
            credentials: .token(try tokenSource()),
            bundleID: "com.example.parcels"
        )
        lane.name = "rehearsal"
        lane.trust = .file(certificate.authorityFile)
        lane.connections = connections
        lane.connectionSpacing = .milliseconds(1)
        lane.reconnect.first = .milliseconds(10)
        lane.reconnect.longest = .milliseconds(50)
        return lane
    }
}

/// Hears and keeps what a driver says.
final class Listener: APNSObserver {
    private let lines = Guarded<[String]>([])

    var heard: [String] { lines.withLock { $0 } }

    func hears(_ text: String) -> Bool {
        lines.withLock { $0.contains { $0.contains(text) } }
    }

    private func note(_ line: String) {
        lines.withLock { $0.append(line) }
    }

    func connected(lane: String, connection: APNSConnectionSnapshot) {
        note("\(lane) connected \(connection.address) \(connection.settings.last?.maximumStreams ?? 0)")
    }

    func connectionFailed(lane: String, connection: APNSConnectionSnapshot, error: String) {
        note("\(lane) failed \(connection.address) \(error)")
    }

    func goAway(lane: String, connection: APNSConnectionSnapshot, reason: String) {
        note("\(lane) goaway \(reason)")
    }

    func closed(lane: String, connection: APNSConnectionSnapshot, reason: String) {
        note("\(lane) closed \(reason)")
    }

    func credentialsFailed(lane: String, error: String) {
        note("\(lane) credentials \(error)")
    }
}

/// A driver, and what it hands out.
final class Sender {
    struct Handout: Sendable {
        let lane: Int
        let outcomes: [APNSOutcome]
    }

    let driver: APNSDriver
    let clock: DriverClock
    let listener = Listener()
    private let mailbox: Mailbox<Handout>
    private(set) var handouts: [Handout] = []

    init(_ lanes: [APNSConfiguration], clock: DriverClock = .system) throws {
        let mailbox = try Mailbox<Handout>()
        self.mailbox = mailbox
        self.clock = clock
        driver = try APNSDriver(name: "wb-apns-test", lanes: lanes, observer: listener, clock: clock) {
            mailbox.send(Handout(lane: $0, outcomes: $1))
        }
    }

    deinit {
        driver.close(grace: .zero)
        driver.join()
    }

    func send(_ requests: [APNSRequest], lane: Int = 0) {
        driver.submit([APNSRequestBatch(owner: NumberedOwner(0), requests: requests)], lane: lane)
    }

    /// Lets time pass for the driver, and has it look at its clock.
    func elapse(_ duration: Duration) {
        clock.advance(by: duration)
        driver.withdraw(owner: NumberedOwner(-1), lane: 0)
    }

    /// Lets time pass in small steps until something is so.
    ///
    /// One long step may come to nothing: a server can have a request before the driver, on a busy machine, has noted when
    /// the request's deadline is.
    func elapse(until isSo: () -> Bool) throws {
        try wait {
            let isReached = isSo()
            if !isReached { elapse(.milliseconds(50)) }
            return isReached
        }
    }

    var lane: APNSLaneSnapshot { driver.snapshot.lanes[0] }

    var outcomes: [APNSOutcome] { handouts.flatMap(\.outcomes) }

    /// Waits until this many outcomes have come in all, and returns them in the order of the requests.
    func outcomes(_ count: Int, within limit: Duration = .seconds(30)) throws -> [APNSOutcome] {
        let deadline = MonotonicTime.now().advanced(by: limit)
        while outcomes.count < count, MonotonicTime.now() < deadline {
            mailbox.wait(until: deadline)
            mailbox.drain(into: &handouts)
        }
        try #require(outcomes.count == count, "waited for \(count) outcomes, \(listener.heard)")
        return outcomes.sorted { $0.index < $1.index }
    }

    /// Waits until something is so.
    func wait(within limit: Duration = .seconds(30), until isSo: () -> Bool) throws {
        let deadline = MonotonicTime.now().advanced(by: limit)
        while !isSo() {
            try #require(MonotonicTime.now() < deadline, "waited in vain, \(listener.heard)")
            // Outcomes wake the wait; whatever else may make it so is looked at again soon.
            mailbox.wait(until: MonotonicTime.now().advanced(by: .milliseconds(5)))
            mailbox.drain(into: &handouts)
        }
    }
}

extension APNSResult {
    static let accepted = APNSResult.answered(APNSAnswer(status: 200))

    /// Whether it was certainly not sent, for a cause of this kind, whatever its text.
    func isNotSent(_ kind: PushFailureCause) -> Bool {
        if case .failed(.notSent(let cause)) = self { cause.word == kind.word } else { false }
    }

    /// Whether nobody knows what became of it, for a cause of this kind, whatever its text.
    func isUnknown(_ kind: PushFailureCause) -> Bool {
        if case .failed(.unknown(let cause)) = self { cause.word == kind.word } else { false }
    }

    /// What is known of a missing answer beyond its kind.
    var causeText: String? {
        if case .failed(let failure) = self { failure.cause.text } else { nil }
    }
}
