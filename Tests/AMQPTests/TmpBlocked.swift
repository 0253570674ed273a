import AMQP
import Testing
@Suite struct TmpBlocked {
    @Test func blocked() throws {
        let c = try Broker.connect()
        try c.enableConfirms()
        let end = ContinuousClock.now + .seconds(25)
        try c.publish(routingKey: "nowhere", properties: AMQPProperties(), body: [1])
        while ContinuousClock.now < end {
            if let e = try c.nextEvent(timeout: .seconds(1)) { print("EVENT", e, c.isBlocked) ; if case .unblocked = e { return } }
            else if !c.isBlocked { try c.publish(routingKey: "nowhere", mandatory: false, properties: AMQPProperties(), body: [1]) }
        }
        Issue.record("never unblocked")
    }
}
