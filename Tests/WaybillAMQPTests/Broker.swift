import Glibc
import Testing
import WaybillAMQP

/// The real broker that the live tests use, and queues of each test's own.
enum Broker {
    static let url = getenv("WAYBILL_TEST_BROKER").map { String(cString: $0) }
    static var isAvailable: Bool { url != nil }

    static func endpoint(password: String? = nil) throws -> AMQPEndpoint {
        try AMQPEndpoint(url: #require(url), password: password, connectionName: "AMQPTests")
    }

    static func connect() throws -> AMQPConnection {
        try AMQPConnection.open(endpoint(), timeout: .seconds(20))
    }

    static func randomName() -> String {
        "waybill-test-" + String(UInt64.random(in: .min ... .max), radix: 16)
    }

    /// Runs a test with a fresh connection and a queue that is gone afterwards.
    static func withQueue(
        _ arguments: [(String, AMQPValue)] = [("x-queue-type", "quorum")],
        _ body: (AMQPConnection, String) throws -> Void
    ) throws {
        let name = randomName()
        let connection = try connect()
        try connection.declareQueue(name, arguments: arguments)
        defer {
            connection.close()
            if let cleaner = try? connect() {
                try? cleaner.deleteQueue(name)
                cleaner.close()
            }
        }
        try body(connection, name)
    }
}

struct MissingEvent: Error {}

extension AMQPConnection {
    /// The next event within a generous deadline.
    func requireEvent() throws -> AMQPEvent {
        guard let event = try nextEvent(timeout: .seconds(20)) else { throw MissingEvent() }
        return event
    }

    /// The next delivery; anything else is a failure.
    func requireDelivery() throws -> AMQPDelivery {
        let event = try requireEvent()
        guard case .delivery(let delivery) = event else {
            Issue.record("expected a delivery, not \(event)")
            throw MissingEvent()
        }
        return delivery
    }

    /// Waits until the broker has confirmed everything up to a sequence number.
    func requireConfirmation(upTo last: UInt64) throws {
        var confirmed: Set<UInt64> = []
        while confirmed.count < Int(last) {
            let event = try requireEvent()
            guard case .confirmed(let tag, let multiple) = event else {
                Issue.record("expected a confirmation, not \(event)")
                throw MissingEvent()
            }
            confirmed.formUnion(multiple ? Array(1...tag) : [tag])
        }
    }
}
