import Foundation
import Glibc

/// A broker and a store to test with.
struct TestServices {
    let broker: String
    let store: String
    private let script: String
    private let folder: String
    /// The broker's process.
    private var brokerProcess: pid_t?

    /// The servers that `scripts/test.sh` has started and that all tests share; `nil` without them.
    static let shared: TestServices? = {
        let environment = ProcessInfo.processInfo.environment
        guard let broker = environment["WAYBILL_TEST_BROKER"], let store = environment["WAYBILL_TEST_STORE"],
            let script = environment["WAYBILL_TEST_SERVICES"], let folder = environment["WAYBILL_TEST_SERVICES_DIR"]
        else { return nil }
        return TestServices(broker: broker, store: store, script: script, folder: folder)
    }()

    /// Starts a broker and a store for one test alone, to be stopped and started as it likes.
    static func startOwn() throws -> TestServices {
        guard let shared else { throw RigError("no servers: run scripts/test.sh") }
        let folder = "\(shared.folder)-\(UInt32.random(in: 0...UInt32.max))"
        try run(shared.script, "start", folder)
        var values: [String: String] = [:]
        for line in try String(contentsOfFile: folder + "/env", encoding: .utf8).split(separator: "\n") {
            let parts = line.replacingOccurrences(of: "export ", with: "").split(separator: "=", maxSplits: 1)
            values[String(parts[0])] = parts[1].trimmingCharacters(in: ["'"])
        }
        guard let broker = values["WAYBILL_TEST_BROKER"], let store = values["WAYBILL_TEST_STORE"] else {
            throw RigError("\(folder)/env lacks the servers' addresses")
        }
        var services = TestServices(broker: broker, store: store, script: shared.script, folder: folder)
        services.brokerProcess = values["WAYBILL_TEST_BROKER_PID"].flatMap { pid_t($0) }
        return services
    }

    /// Ends servers that ``startOwn()`` has started.
    func stop() {
        try? control("stop")
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Sends a signal to the broker of ``startOwn()``, such as `SIGSTOP` for one that hangs.
    func signalBroker(_ number: Int32) throws {
        guard let brokerProcess, kill(brokerProcess, number) == 0 else { throw RigError("the broker is not there") }
    }

    /// Runs a command of `scripts/services.sh`, for example `stop-store`.
    func control(_ command: String, _ arguments: String...) throws {
        try Self.run(script, command, folder, arguments)
    }

    /// Has the broker of ``startOwn()`` take nothing from whoever publishes while a body runs.
    func withAlarm(_ body: () async throws -> Void) async throws {
        try control("broker-control", "set_disk_free_limit", "100000GB")
        do {
            try await body()
        } catch {
            try? control("broker-control", "set_disk_free_limit", "50MB")
            throw error
        }
        try control("broker-control", "set_disk_free_limit", "50MB")
    }

    /// Foundation's Process would wait for the servers too: they inherit the socket by which it sees a child's end.
    private static func run(_ script: String, _ command: String, _ folder: String, _ more: [String] = []) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        // A thread of the test runner blocks signals; the servers would inherit that and never hear SIGTERM.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let words = ["bash", script, command, folder] + more
        let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child: pid_t = 0
        guard posix_spawn(&child, "/bin/bash", &actions, &attributes, arguments, environ) == 0 else {
            throw RigError("bash cannot be started")
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 && errno == EINTR {}
        guard status == 0 else { throw RigError("services.sh \(command) ended with wait status \(status)") }
    }
}

/// Something that the rig itself could not do.
struct RigError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
