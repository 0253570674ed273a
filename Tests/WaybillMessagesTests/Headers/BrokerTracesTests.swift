import Testing
import WaybillAMQP

@testable import WaybillMessages

/// What RabbitMQ writes on messages, as the versions that we know write it, and what only looks like it.
struct BrokerTracesTests {
    struct Case: CustomTestStringConvertible {
        var headers: [(name: String, value: AMQPValue)]
        var deliveryCount: Int64 = 0
        var wasDeadLettered = false
        var reachedDeliveryLimit = false

        var testDescription: String { headers.map { "\($0.name): \($0.value)" }.joined(separator: ", ") }
    }

    @Test(
        arguments: [
            Case(headers: []),
            Case(headers: [("x-delivery-count", 0)]),
            Case(headers: [("x-trace", 1), ("x-delivery-count", 3)], deliveryCount: 3),
            Case(headers: [("x-delivery-count", "3")]),
            Case(headers: [("x-delivery-count", -1)]),
            Case(headers: [("X-Delivery-Count", 3)]),
            Case(headers: [("x-death", .array([]))], wasDeadLettered: true),
            Case(headers: [("x-first-death-reason", "expired")], wasDeadLettered: true),
            Case(
                headers: [("x-first-death-reason", "delivery_limit"), ("x-delivery-count", 20)],
                deliveryCount: 20,
                wasDeadLettered: true,
                reachedDeliveryLimit: true
            ),
            // The latest queue alone says nothing of who had the message before.
            Case(headers: [("x-last-death-reason", "delivery_limit")]),
        ]
    )
    func whatAMessageWentThrough(_ expected: Case) {
        let traces = BrokerTraces(expected.headers)
        #expect(traces.deliveryCount == expected.deliveryCount)
        #expect(traces.wasDeadLettered == expected.wasDeadLettered)
        #expect(traces.reachedDeliveryLimit == expected.reachedDeliveryLimit)
    }

    @Test(
        arguments: [
            ([], nil, nil),
            ([("x-death", .array([]))], nil, nil),
            ([("x-death", "waybill.retry")], nil, nil),
            ([("x-death", .array([.table([:])]))], "", ""),
            (
                [("x-death", .array([.table(["queue": "a", "reason": "expired"]), .table(["queue": "b"])]))], "a",
                "expired"
            ),
        ] as [([(name: String, value: AMQPValue)], String?, String?)]
    )
    func theLastDeath(headers: [(name: String, value: AMQPValue)], queue: String?, reason: String?) {
        let death = BrokerTraces.LastDeath(of: AMQPProperties(headers: headers))
        // An empty name stands for a death without one.
        #expect(death.map { $0.queue ?? "" } == queue)
        #expect(death.map { $0.reason ?? "" } == reason)
    }

    @Test(arguments: [
        ("x-death", true), ("x-first-death-queue", true), ("x-last-death-reason", true), ("x-delivery-count", false),
        ("x-waybill-queue", false), ("death", false),
    ])
    func whichHeadersTellOfADeath(name: String, isOne: Bool) {
        #expect(BrokerTraces.isOfADeath(name) == isOne)
    }
}
