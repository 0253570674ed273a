import Testing

@testable import WaybillFleet

@Suite("What the broker does not have is told as that, with what makes it")
struct MissingOnBrokerTests {
    private static let retry = "queue.declare waybill.retry: NOT_FOUND - no queue 'waybill.retry' in vhost '/' (404)"

    @Test(
        "the words of an error",
        arguments: [
            (retry, "the queue waybill.retry is missing"),
            (
                "exchange.declare: NOT_FOUND - no exchange 'waybill.dispatch' in vhost '/' (404); the next attempt is in 3 s",
                "the exchange waybill.dispatch is missing"
            ),
            ("publish to waybill.retry: returned: NO_ROUTE", "the queue waybill.retry is missing"),
            ("publish: a message came back: NO_ROUTE", "no queue takes what it publishes (NO_ROUTE)"),
            ("connect to rabbit:5672: nothing answers there", nil), ("NOT_FOUND", nil), ("", nil), (nil, nil),
        ] as [(String?, String?)]
    )
    func words(error: String?, words: String?) {
        #expect(MissingOnBroker(in: error)?.words == words)
    }

    private static func lacking(_ role: String, process: Int32 = 1, _ check: String, _ cause: String) -> Lease {
        let status =
            #"{"ready":false,"queues":["waybill.dispatch"],"checks":[{"name":"\#(check)","ok":false,"cause":"\#(cause)"}]}"#
        return Samples.lease(role, process: process, status: status)
    }

    @Test(
        "each process says once what is missing, and people are told once what makes it; nobody is sent to start another"
    )
    func processes() {
        let health = Samples.health(
            [
                Self.lacking("dispatch", "consuming", Self.retry + "; the next attempt is in 3 s"),
                Self.lacking("dispatch", process: 2, "consuming", Self.retry + "; it is tried again at this moment"),
                Self.lacking("fanout", "publishing", "publish: a message came back: NO_ROUTE"),
            ],
            consumers: 0
        )
        #expect(
            health.findings.map(\.text) == [
                "dispatch on host (1) takes no messages: the queue waybill.retry is missing; the next attempt is in 3 s",
                "dispatch on host (2) takes no messages", "waybill.dispatch has no consumer, and 7 messages wait",
                "fanout on host (1) cannot publish to the broker: no queue takes what it publishes (NO_ROUTE)",
            ]
        )
        #expect(Set(health.findings.map(\.adviceKey)) == ["queues"])
        #expect(Set(health.findings.map(\.advice)) == [FindingAdvice.queues])
    }

    @Test("what has another cause beside it keeps its own advice")
    func others() {
        let status = """
            {"ready":false,"checks":[{"name":"consuming","ok":false,"cause":"\(Self.retry)"},
            {"name":"confirms","ok":false,"cause":"no route"},{"name":"store","ok":false,"cause":"no primary"}]}
            """
        let lacks = ProcessLack.all(of: ProcessReport(Samples.lease(status: status)), Outages([]))
        #expect(lacks.map(\.subject) == [.queues, .broker, .store])
        #expect(lacks[1].advice?.hasPrefix("Look at RabbitMQ") == true)
    }
}
