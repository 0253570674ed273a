import WaybillPushTransport
import WaybillTLS

extension FCMConfiguration {
    /// Checks every value that ends in a header, a socket call or a timer.
    ///
    /// - Throws: ``FCMSetupError`` naming the value.
    func validate() throws(FCMSetupError) {
        guard (1...128).contains(project.utf8.count), project.utf8.allSatisfy(Self.isProjectByte) else {
            throw FCMSetupError("project: must be 1 to 128 letters, digits, '-', '.', ':' or '_'")
        }
        guard Endpoint.isHost(host), port > 0 else {
            throw FCMSetupError("host, port: must be a host name or an address, and a port above 0")
        }
        if let problem = proxy?.settings.problem { throw FCMSetupError("proxy: \(problem)") }
        guard (1...100).contains(connections) else { throw FCMSetupError("connections: must be 1 to 100") }
        guard (.seconds(11) ... .seconds(120)).contains(answerDeadline) else {
            throw FCMSetupError("answerDeadline: must be 11 to 120 seconds, for less makes doubles")
        }
        guard messagesPerSecond.map({ (1...100_000).contains($0) }) ?? true else {
            throw FCMSetupError("messagesPerSecond: must be 1 to 100,000")
        }
        guard (.zero ... .seconds(3600)).contains(ramp) else {
            throw FCMSetupError("ramp: must be at most an hour")
        }
        guard connectionLifetime.lowerBound >= .seconds(1), patience >= .seconds(1) else {
            throw FCMSetupError("connectionLifetime, patience: must be at least a second")
        }
        guard connectionSpacing >= .zero, reconnectDelay.lowerBound > .zero else {
            throw FCMSetupError("connectionSpacing, reconnectDelay: must not be negative, and the delay not nothing")
        }
    }

    private static func isProjectByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x61...0x7A, 0x41...0x5A, 0x2D, 0x2E, 0x3A, 0x5F: true
        default: false
        }
    }

    /// What every connection to FCM does TLS with.
    func makeTLSContext() throws -> TLSContext {
        var options = TLSClientOptions()
        options.protocols = ["h2"]
        options.trust = trust.transport
        return try TLSContext.client(options)
    }

    /// What the transport wants to know.
    var transport: TransportSettings {
        var settings = TransportSettings(name: name, endpoint: Endpoint(host: host, port: port))
        settings.proxy = proxy?.settings
        settings.connections = connections
        settings.connectionSpacing = connectionSpacing
        settings.lifetime = connectionLifetime
        settings.pace = messagesPerSecond.map { PaceBucket.Settings(rate: Double($0), ramp: ramp) }
        // Google ends connections that ping three times without a request.
        settings.idlePings = 1
        settings.deadlines.request = answerDeadline
        settings.deadlines.unreachable = patience
        settings.reconnect.first = reconnectDelay.lowerBound
        settings.reconnect.longest = reconnectDelay.upperBound
        return settings
    }
}
