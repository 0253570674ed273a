import Glibc
import Testing
import WaybillTestSupport

@testable import WaybillTelemetry

/// With a socket in the place of the service manager's.
struct SystemdNotifierTests {
    private final class Manager {
        let path: String
        private let folder: TemporaryFolder
        private let descriptor: Int32

        init() throws {
            folder = try TemporaryFolder()
            path = folder.path + "/notify"
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let length = socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count)
            let status = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
            }
            try #require(status == 0)
        }

        deinit { close(descriptor) }

        /// What has come; datagrams on this machine are there when they are sent.
        func received() -> [String] {
            var texts: [String] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while case let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT)), count > 0 {
                texts.append(String(decoding: buffer[..<count], as: UTF8.self))
            }
            return texts
        }
    }

    @Test func itSaysWhatTheManagerReads() throws {
        let manager = try Manager()
        let notifier = SystemdNotifier(environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "30000000"])
        #expect(notifier.watchdogInterval == .seconds(15))
        notifier.ready(status: "two\nlines")
        notifier.status("working")
        notifier.watchdog()
        notifier.stopping()
        #expect(manager.received() == ["READY=1\nSTATUS=two lines", "STATUS=working", "WATCHDOG=1", "STOPPING=1"])
    }

    @Test(arguments: [
        [:], ["NOTIFY_SOCKET": ""], ["NOTIFY_SOCKET": "relative"], ["WATCHDOG_USEC": "1000000"],
        ["NOTIFY_SOCKET": "/nonexistent/socket"],
    ])
    func withoutAManagerNothingHappens(environment: [String: String]) {
        let notifier = SystemdNotifier(environment: environment)
        notifier.ready(status: "working")
        notifier.watchdog()
        #expect(notifier.watchdogInterval == nil)
    }

    @Test(arguments: [("1", false), ("\(getpid())", true)])
    func theWatchdogIsForTheProcessThatItNames(process: String, isMeant: Bool) throws {
        let manager = try Manager()
        let notifier = SystemdNotifier(
            environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "2000000", "WATCHDOG_PID": process]
        )
        #expect((notifier.watchdogInterval != nil) == isMeant)
    }
}
