import Foundation
import Synchronization
import Testing
import WaybillAMQP
import WaybillCore
import WaybillMessages
import WaybillThreads

@testable import WaybillNotifications

/// Against a real broker.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["WAYBILL_TEST_BROKER"] != nil), .timeLimit(.minutes(2)))
struct NotificationPublisherTests {
    private static let patience = Duration.seconds(20)
    private static var deadline: MonotonicTime { .now().advanced(by: patience) }

    private final class Events: Sendable {
        let seen = Mutex<[NotificationPublisher.Event]>([])
    }

    private static func endpoint() throws -> AMQPEndpoint {
        let url = try #require(ProcessInfo.processInfo.environment["WAYBILL_TEST_BROKER"])
        return try AMQPEndpoint(url: url, connectionName: "NotificationTests")
    }

    /// Runs a test with queues of its own, or with a name that has none.
    private static func run(
        declares: Bool = true,
        _ body: (NotificationPublisher, QueueNames, Events, AMQPConnection) async throws -> Void
    ) async throws {
        let prefix = "waybill-test-" + String(UInt64.random(in: .min ... .max), radix: 16)
        let topology = Topology(names: QueueNames(prefix: prefix), delaySteps: [DelayStep(seconds: 1)])
        let connection = try AMQPConnection.open(endpoint(), timeout: .seconds(20))
        _ = try topology.declare(on: connection)
        defer {
            if !connection.isChannelOpen { try? connection.reopenChannel() }
            for queue in topology.queues { try? connection.deleteQueue(queue.name) }
            try? connection.deleteExchange(topology.names.exchange)
            try? connection.deleteExchange(topology.names.replayExchange)
            connection.close()
        }
        if !declares { try connection.deleteQueue(topology.names.dispatch) }
        let events = Events()
        let publisher = try NotificationPublisher(endpoint: endpoint(), queues: topology.names) { event in
            events.seen.withLock { $0.append(event) }
        }
        defer { publisher.stop() }
        let deadline = deadline
        while !publisher.isReady {
            try #require(MonotonicTime.now() < deadline)
            try await Task.sleep(for: .milliseconds(20))
        }
        try await body(publisher, topology.names, events, connection)
    }

    private static func notification(_ id: String, _ bodies: [String]) -> StoredNotification {
        StoredNotification(id: id, at: 1_700_000_000_123, messages: bodies.map { Array($0.utf8) })
    }

    @Test func whatIsConfirmedIsThere() async throws {
        try await Self.run { publisher, queues, events, connection in
            let bodies = [#"{"a":1}"#, #"{"a":2}"#]
            #expect(await publisher.publish(Self.notification("n-1", bodies), until: Self.deadline))
            #expect(await publisher.publish(Self.notification("n-2", [#"{"b":1}"#]), until: Self.deadline))
            var found: [String: AMQPProperties] = [:]
            let deadline = Self.deadline
            while found.count < 3, MonotonicTime.now() < deadline {
                guard let delivery = try connection.get(queue: queues.dispatch) else { continue }
                found[String(decoding: delivery.body, as: UTF8.self)] = delivery.properties
            }
            #expect(Set(found.keys) == Set(bodies + [#"{"b":1}"#]))
            #expect(found[#"{"a":2}"#]?.messageID == "n-1.2")
            #expect(found[#"{"b":1}"#]?.messageID == "n-2")
            #expect(found[#"{"b":1}"#]?.timestamp == 1_700_000_000)
            #expect(found.values.allSatisfy { $0.isPersistent && $0.contentType == "application/json" })
            #expect(events.seen.withLock { $0 } == [.connected])
            #expect(publisher.waiting == 0)
        }
    }

    @Test func whatNobodyHasToHearOfIsDoneAtOnce() async throws {
        try await Self.run { publisher, _, _, _ in
            #expect(await publisher.publish(Self.notification("n-1", []), until: Self.deadline))
        }
    }

    /// The broker has no queue for it: it says so, and nobody is told that it was handed over.
    @Test func whatComesBackIsNotConfirmed() async throws {
        try await Self.run(declares: false) { publisher, _, events, _ in
            #expect(await !publisher.publish(Self.notification("n-1", ["{}"]), until: Self.deadline))
            let last = events.seen.withLock { $0.last }
            guard case .failed(let reason) = last else {
                Issue.record("nobody was told: \(String(describing: last))")
                return
            }
            #expect(reason.contains("waybill init"))
        }
    }

    @Test func withoutABrokerTheDeadlineAnswers() async throws {
        let endpoint = try AMQPEndpoint(url: "amqp://127.0.0.1:1/", connectionName: "NotificationTests")
        let publisher = try NotificationPublisher(endpoint: endpoint, queues: QueueNames(prefix: "test")) { _ in }
        defer { publisher.stop() }
        let deadline = MonotonicTime.now().advanced(by: .seconds(1))
        #expect(await !publisher.publish(Self.notification("n-1", ["{}"]), until: deadline))
        #expect(!publisher.isReady)
        #expect(MonotonicTime.now() >= deadline)
    }
}
