import Glibc
import Testing
import WaybillTestSupport

@testable import WaybillTelemetry

/// With a socket in the place of the service manager's.
struct SystemdNotifierTests {
    @Test func itSaysWhatTheManagerReads() throws {
        let manager = try NotifySocket()
        let notifier = SystemdNotifier(environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "30000000"])
        #expect(notifier.watchdogInterval == .seconds(15))
        notifier.ready(status: "two\nlines")
        notifier.status("working")
        notifier.watchdog()
        notifier.stopping()
        #expect(manager.received() == ["READY=1\nSTATUS=two lines", "STATUS=working", "WATCHDOG=1", "STOPPING=1"])
    }

    /// By the clock that the manager has, so that it knows which signal this answers.
    @Test func aReloadHasItsTime() throws {
        let manager = try NotifySocket()
        let notifier = SystemdNotifier(environment: ["NOTIFY_SOCKET": manager.path])
        notifier.reloading()
        notifier.reloading()
        let begin = "RELOADING=1\nMONOTONIC_USEC="
        let told = manager.received()
        #expect(told.count == 2 && told.allSatisfy { $0.hasPrefix(begin) })
        let times = told.compactMap { UInt64($0.dropFirst(begin.count)) }
        #expect(times.count == 2 && times[0] <= times[1] && times[0] > 0)
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
        let manager = try NotifySocket()
        let notifier = SystemdNotifier(
            environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "2000000", "WATCHDOG_PID": process]
        )
        #expect((notifier.watchdogInterval != nil) == isMeant)
    }
}
