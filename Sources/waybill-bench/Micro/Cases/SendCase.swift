import WaybillAPNS
import WaybillPushTransport
import WaybillSimulator
import WaybillTLS
import WaybillThreads

/// The APNs driver against a simulator in the same process that answers 200 to everything.
enum SendCase {
    static let send = MicroCase(
        "send",
        "the APNs driver against a simulator; CPU and allocations are those of the driver's thread",
        .live
    ) { _ in
        let rig = try SendRig()
        return MicroLoop(notifications: rig.count, warmUp: 5, usage: { rig.usage }) { try rig.send() }
    }
}

/// A driver with one lane, and the simulator at its end.
private final class SendRig {
    private final class Owner: PushRequestOwner {}

    /// What the driver's thread has told.
    private struct Told {
        var ended = 0
        var accepted = 0
        var target = 0
        var usage = MicroUsage()
    }

    private final class Progress: Sendable {
        let told = Guarded(Told())
    }

    private let folder: ScratchFolder
    private let server: SimulatorServer
    private let driver: APNSDriver
    private let batches: [APNSRequestBatch]
    private let progress: Progress
    private let done: Mailbox<Int>
    let count: Int

    init() throws {
        folder = try ScratchFolder()
        let files = try SimulatorCertificate.make(in: folder.path, hostNames: ["127.0.0.1"])
        var configuration = SimulatorConfiguration(
            identity: TLSIdentity(certificateFile: files.certificateFile, privateKeyFile: files.privateKeyFile),
            authentication: .anyToken
        )
        configuration.answersConstantly = true
        configuration.keepsRequests = false
        configuration.initialStreamLimit = configuration.streamLimit
        server = try SimulatorServer(configuration: configuration)
        let port = try server.start()

        let source = try APNSProviderTokenSource(
            teamID: "ABCDE12345",
            keyID: "ABC123DEFG",
            key: SimulatorCredentials.generate().privateKey
        )
        var lane = APNSConfiguration(
            endpoint: APNSEndpoint(host: "127.0.0.1", port: port),
            credentials: .token(source),
            bundleID: "com.example.parcels"
        )
        lane.trust = .file(files.authorityFile)
        lane.connections = 1

        let progress = Progress()
        let done = try Mailbox<Int>()
        self.progress = progress
        self.done = done
        driver = try APNSDriver(name: "wb-apns-bench", lanes: [lane], observer: Silence()) { _, outcomes in
            let accepted = outcomes.count { $0.result == .answered(APNSAnswer(status: 200)) }
            let isDone = progress.told.withLock { told in
                told.ended += outcomes.count
                told.accepted += accepted
                told.usage = .ofThisThread()
                return told.ended == told.target
            }
            if isDone { done.send(1) }
        }
        let requests = try SampleRequests.all()
        let size = Samples.notificationsPerMessage
        batches = stride(from: 0, to: requests.count, by: size).map {
            APNSRequestBatch(owner: Owner(), requests: Array(requests[$0..<$0 + size]))
        }
        count = requests.count
    }

    deinit {
        driver.close(grace: .zero)
        driver.join()
        server.stop()
    }

    var usage: MicroUsage { progress.told.withLock { $0.usage } }

    /// Sends every sample and waits for the answers.
    func send() throws -> Int {
        let before = progress.told.withLock { told in
            told.target = told.ended + count
            return told.accepted
        }
        driver.submit(batches, lane: 0)
        let deadline = MonotonicTime.now().advanced(by: .seconds(30))
        var notes: [Int] = []
        while notes.isEmpty {
            guard MonotonicTime.now() < deadline else { throw MicroError.unexpected("no answers for 30 s") }
            done.wait(until: deadline)
            done.drain(into: &notes)
        }
        return progress.told.withLock { $0.accepted } - before
    }
}

private struct Silence: APNSObserver {}
