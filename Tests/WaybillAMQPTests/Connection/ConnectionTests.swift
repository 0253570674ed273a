import Glibc
import Testing
import WaybillAMQP

@Suite(.enabled(if: Broker.isAvailable, "WAYBILL_TEST_BROKER is not set"))
struct ConnectionTests {
    @Test func wrongPasswordIsRefused() throws {
        let endpoint = try Broker.endpoint(password: "not-the-password")
        let error = #expect(throws: AMQPError.self) { try AMQPConnection.open(endpoint, timeout: .seconds(20)) }
        #expect(error?.code == .accessRefused)
        #expect(error?.isRetriable == false)
        #expect(error?.description.contains("'\(endpoint.user)'") == true)
        #expect(error?.description.contains("not-the-password") == false)
    }

    @Test func unknownVirtualHostIsRefused() throws {
        let known = try Broker.endpoint()
        let endpoint = try AMQPEndpoint(
            url: "amqp://guest:guest@\(known.nodes[0])/no-such-host",
            connectionName: "AMQPTests"
        )
        let error = #expect(throws: AMQPError.self) { try AMQPConnection.open(endpoint, timeout: .seconds(20)) }
        #expect(error?.code == .accessRefused)
        #expect(error?.description.contains("'no-such-host'") == true)
    }

    @Test func nobodyListeningIsUnreachable() throws {
        let endpoint = try AMQPEndpoint(url: "amqp://guest@127.0.0.1:1/", connectionName: "AMQPTests")
        let error = #expect(throws: AMQPError.self) { try AMQPConnection.open(endpoint, timeout: .seconds(20)) }
        #expect(error?.code == .unreachable)
        #expect(error?.isRetriable == true)
    }

    /// One that takes connections, as the system does for a process that is stopped, and says nothing.
    @Test func aBrokerThatHangsIsNamedWithHowLongItWasWaitedFor() throws {
        let (socket, port) = try silentListener()
        defer { close(socket) }
        let endpoint = try AMQPEndpoint(url: "amqp://guest@127.0.0.1:\(port)/", connectionName: "AMQPTests")
        let error = #expect(throws: AMQPError.self) { try AMQPConnection.open(endpoint, timeout: .seconds(1)) }
        #expect(error?.code == .timeout)
        #expect(error?.isRetriable == true)
        #expect(error?.description.hasPrefix("log in at 127.0.0.1:\(port): no answer within 1s") == true)
    }

    private func silentListener() throws -> (socket: Int32, port: UInt16) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        try #require(isListening)
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    /// Whichever of them comes first.
    @Test func deadNodesAreSteppedOver() throws {
        let living = try Broker.endpoint().nodes[0]
        let endpoint = try AMQPEndpoint(
            url: "amqp://guest:guest@127.0.0.1:1,\(living),127.0.0.1:2/",
            connectionName: "AMQPTests"
        )
        for _ in 0..<8 { try AMQPConnection.open(endpoint, timeout: .seconds(20)).close() }
    }

    @Test func whenAllNodesAreDeadEachIsNamed() throws {
        let endpoint = try AMQPEndpoint(url: "amqp://guest@127.0.0.1:1,127.0.0.1:2/", connectionName: "AMQPTests")
        let error = #expect(throws: AMQPError.self) { try AMQPConnection.open(endpoint, timeout: .seconds(20)) }
        #expect(error?.code == .unreachable)
        #expect(error?.isRetriable == true)
        let words = try #require(error?.description)
        // What is true of both is told once.
        let orders = ["127.0.0.1:1, 127.0.0.1:2: nothing", "127.0.0.1:2, 127.0.0.1:1: nothing"]
        #expect(orders.contains { words.contains($0) } && words.split(separator: "nothing answers there").count == 2)
    }

    @Test func aNodeThatRefusesTheUserSpeaksForAll() throws {
        let living = try Broker.endpoint().nodes[0]
        let endpoint = try AMQPEndpoint(
            url: "amqp://guest:wrong@\(living),\(living)/",
            connectionName: "AMQPTests"
        )
        let error = #expect(throws: AMQPError.self) { try AMQPConnection.open(endpoint, timeout: .seconds(20)) }
        #expect(error?.code == .accessRefused)
    }

    @Test func callsAfterCloseFail() throws {
        let connection = try Broker.connect()
        #expect(connection.socket >= 0)
        connection.close()
        connection.close()
        #expect(connection.socket == -1)
        let error = #expect(throws: AMQPError.self) { try connection.nextEvent(timeout: .zero) }
        #expect(error?.code == .connectionClosed)
    }

    @Test func aBrokenSocketClosesTheConnection() throws {
        let connection = try Broker.connect()
        shutdown(connection.socket, Int32(SHUT_RDWR))
        let error = #expect(throws: AMQPError.self) { try connection.nextEvent(timeout: .seconds(20)) }
        #expect(error?.code == .connectionClosed)
        #expect(error?.closesConnection == true)
        #expect(error?.isRetriable == true)
        #expect(!connection.isOpen)
        connection.close()
    }

    /// Three times the interval after which the broker would give the connection up.
    @Test func heartbeatsRunUnderZeroTimeouts() throws {
        var endpoint = try Broker.endpoint()
        endpoint.heartbeat = .seconds(2)
        let connection = try AMQPConnection.open(endpoint, timeout: .seconds(20))
        defer { connection.close() }
        let end = ContinuousClock.now + .seconds(12)
        while ContinuousClock.now < end {
            #expect(try connection.nextEvent(timeout: .zero) == nil)
            usleep(50_000)
        }
        #expect(throws: AMQPError.self) { try connection.inspectQueue(Broker.randomName()) }
        #expect(connection.isOpen)
        #expect(!connection.isChannelOpen)
    }

    @Test func aChannelErrorLeavesTheConnection() throws {
        try Broker.withQueue { connection, queue in
            let mismatch = #expect(throws: AMQPError.self) {
                try connection.declareQueue(queue, arguments: [("x-queue-type", "classic")])
            }
            #expect(mismatch?.code == .preconditionFailed)
            #expect(mismatch?.replyCode == 406)
            #expect(mismatch?.closesConnection == false)
            #expect(mismatch?.text.contains("x-queue-type") == true)
            let closed = #expect(throws: AMQPError.self) { try connection.inspectQueue(queue) }
            #expect(closed?.code == .channelClosed)

            try connection.reopenChannel()
            #expect(try connection.inspectQueue(queue).messages == 0)
            let missing = #expect(throws: AMQPError.self) { try connection.inspectQueue(queue + "-missing") }
            #expect(missing?.code == .notFound)
            try connection.reopenChannel()
            try connection.publish(routingKey: queue, properties: AMQPProperties(), body: [1])
        }
    }

    @Test func anUnknownTagClosesTheChannelAsAnEvent() throws {
        try Broker.withQueue { connection, queue in
            try connection.startConsuming(queue: queue, consumerTag: "c")
            try connection.acknowledge(4711, multiple: false)
            guard case .channelClosed(let error) = try connection.requireEvent() else {
                Issue.record("the channel was not closed")
                return
            }
            #expect(error.code == .preconditionFailed)
            #expect(connection.isOpen)
            try connection.reopenChannel()
            try connection.startConsuming(queue: queue, consumerTag: "c")
            try connection.publish(routingKey: queue, properties: AMQPProperties(), body: [7])
            #expect(try connection.requireDelivery().body == [7])
        }
    }

    @Test func aNameThatIsTooLongIsRefusedBeforeItIsSent() throws {
        try Broker.withQueue { connection, queue in
            let long = String(repeating: "x", count: 256)
            #expect(throws: AMQPError.self) { try connection.inspectQueue(long) }
            #expect(throws: AMQPError.self) {
                try connection.publish(routingKey: queue, properties: AMQPProperties(messageID: long), body: [])
            }
            let state = try connection.inspectQueue(queue)
            #expect(state.messages == 0)
        }
    }
}
