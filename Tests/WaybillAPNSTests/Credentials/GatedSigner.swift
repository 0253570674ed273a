import Testing
import WaybillAPNS
import WaybillTLS
import WaybillThreads

/// A signer that does what a test says, when the test says it.
final class GatedSigner: APNSSigner {
    enum Answer: Sendable {
        case sign
        case fail
        case bytes([UInt8])
    }

    struct Failure: Error, CustomStringConvertible {
        let call: Int

        var description: String { "the vault is sealed, call \(call)" }
    }

    private struct Counts {
        var calls = 0
        var running = 0
        var mostRunning = 0
    }

    let key: ES256PrivateKey
    private let answers: Mailbox<Answer>
    private let counts = Guarded(Counts())

    init(key: ES256PrivateKey? = nil) throws {
        self.key = try key ?? .generate()
        answers = try Mailbox()
    }

    var calls: Int { counts.withLock { $0.calls } }
    /// The most calls at one time.
    var mostRunning: Int { counts.withLock { $0.mostRunning } }

    /// Lets one call go on.
    func answer(_ answer: Answer) {
        answers.send(answer)
    }

    func signature(for bytes: [UInt8]) throws -> [UInt8] {
        let call = counts.withLock { counts in
            counts.calls += 1
            counts.running += 1
            counts.mostRunning = max(counts.mostRunning, counts.running)
            return counts.calls
        }
        defer { counts.withLock { $0.running -= 1 } }
        answers.wait(until: MonotonicTime.now().advanced(by: .seconds(30)))
        var received: [Answer] = []
        answers.drain(into: &received)
        switch received.first {
        case .sign: return try key.sign(bytes)
        case .bytes(let bytes): return bytes
        case .fail, nil: throw Failure(call: call)
        }
    }
}

/// Counts how often somebody was told.
final class Bell: Sendable {
    private let rings: Mailbox<Void>
    private let count = Guarded(0)

    init() throws {
        rings = try Mailbox()
    }

    func ring() {
        count.withLock { $0 += 1 }
        rings.send(())
    }

    var rung: Int { count.withLock { $0 } }

    /// Waits until it has rung so often.
    func wait(for number: Int) throws {
        let deadline = MonotonicTime.now().advanced(by: .seconds(30))
        var heard: [Void] = []
        while rung < number {
            try #require(MonotonicTime.now() < deadline, "the bell did not ring")
            rings.wait(until: deadline)
            rings.drain(into: &heard)
        }
    }
}
