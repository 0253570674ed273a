import Testing
import WaybillSettings

@testable import WaybillOperations

@Suite("What the broker's HTTP API tells")
struct ManagementReportTests {
    @Test("unacknowledged messages by queue, and each alarm in words")
    func read() throws {
        let queues: [ManagementReport.Queue] = try ManagementReport.decode(
            Array(#"[{"name":"waybill.dispatch","messages_unacknowledged":12},{"name":"new","arguments":{}}]"#.utf8)
        )
        let nodes: [ManagementReport.Node] = try ManagementReport.decode(
            Array(
                """
                [{"name":"c@h","running":false},{"name":"b@h","running":true,"mem_alarm":true,"disk_free_alarm":true},\
                {"name":"a@h","running":true,"mem_alarm":false,"disk_free_alarm":false}]
                """.utf8
            )
        )
        let report = ManagementReport(queues: queues, nodes: nodes)
        #expect(report.unacknowledged == ["waybill.dispatch": 12, "new": 0])
        #expect(
            report.alarms == [
                "memory alarm on b@h: the broker takes no messages", "disk alarm on b@h: the broker takes no messages",
            ]
        )
        #expect(report.missingNodes == ["the broker's node c@h does not run"])
    }

    @Test("an answer of something else says so", arguments: ["", "<html>", "{}", #"[{"no":"name"}]"#])
    func other(body: String) {
        #expect(throws: ManagementReport.Failure("its answer is not RabbitMQ's")) {
            let _: [ManagementReport.Queue] = try ManagementReport.decode(Array(body.utf8))
        }
    }

    @Test("nobody there is a failure without the password")
    func unreachable() {
        let settings = BrokerManagement(url: "http://127.0.0.1:1", user: "look", password: Secret("canary"))
        let failure = #expect(throws: ManagementReport.Failure.self) {
            try ManagementReport(asking: settings, virtualHost: "/")
        }
        #expect(failure?.description.contains("canary") == false)
    }
}
