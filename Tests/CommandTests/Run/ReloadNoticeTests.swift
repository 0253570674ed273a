import Testing
import WaybillTelemetry
import WaybillTestSupport

@testable import waybill

/// What the service manager is told of a reload, and of an end.
struct ReloadNoticeTests {
    private let manager: NotifySocket
    private let roles = [ReloadRequests(), ReloadRequests()]

    init() throws { manager = try NotifySocket() }

    private func notice(_ roles: [ReloadRequests]) -> ReloadNotice {
        let notifier = SystemdNotifier(environment: ["NOTIFY_SOCKET": manager.path])
        return ReloadNotice(roles, notifier: notifier) { "working" }
    }

    /// The first words of each message.
    private func told() -> [String] {
        manager.received().compactMap { $0.split(separator: "\n").first.map(String.init) }
    }

    @Test("ready comes when every role has settled the last reload")
    func severalRoles() async {
        let notice = notice(roles)
        notice.hangUp()
        #expect(told() == ["RELOADING=1"])
        roles[0].settled(1)
        #expect(told() == [])
        // Another one, before the second role was done with the first.
        notice.hangUp()
        #expect(told() == ["RELOADING=1"])
        roles[1].settled(1)
        roles[0].settled(1)
        #expect(told() == [])
        roles[0].settled(2)
        roles[1].settled(2)
        #expect(told() == ["READY=1"])
        roles[1].settled(2)
        #expect(told() == [])
        var asked: [Int] = []
        for await number in roles[1].numbers {
            asked.append(number)
            if asked.count == 2 { break }
        }
        #expect(asked == [1, 2])
    }

    @Test("where there is nothing to read, that is answered, too")
    func nothingToRead() {
        let notice = notice([])
        notice.hangUp()
        #expect(told() == ["RELOADING=1", "READY=1"])
    }

    @Test("whoever ends is not ready any more, and reads nothing")
    func end() {
        let notice = notice(roles)
        notice.hangUp()
        notice.end()
        notice.hangUp()
        for role in roles { role.settled(1) }
        #expect(told() == ["RELOADING=1", "STOPPING=1"])
    }
}
