import Glibc
import WaybillHTTP2
import WaybillTLS
import WaybillThreads

// From the first byte to the first SETTINGS, or to one of the ways in which that does not come about.
extension SimulatorConnection {
    /// A fatal alert, handshake_failure, as a TLS record (RFC 8446 §6).
    private static let alert: [UInt8] = [21, 3, 3, 0, 2, 2, 40]

    /// The stream limit at the start: the regular one where no provider token has to open the connection for more.
    static func streamLimit(
        _ configuration: SimulatorConfiguration,
        _ rule: SimulatorConnectionRule?,
        needsToken: Bool
    ) -> StreamLimit {
        let regular = configuration.fcm?.streamLimit ?? configuration.streamLimit
        let usual = needsToken && configuration.fcm == nil ? configuration.initialStreamLimit : regular
        var limit = StreamLimit(
            initial: configuration.answersConstantly ? regular : rule?.initialStreams ?? usual,
            regular: regular,
            fallsAfterRefusal: configuration.streamLimitFallsAfterRefusal
        )
        if let streams = rule?.settings.maxConcurrentStreams { _ = limit.pin(to: streams) }
        return limit
    }

    /// Goes on with the handshake, in the way that the rule wants.
    func takeHandshakeTurn() {
        switch script.rule?.handshake ?? .regular {
        case .regular, .withoutH2: shakeHands()
        case .silence:
            if !hasIgnoredHandshake {
                guard hasFirstMessage() else { return }
                observer.fault("tls:silence")
                hasIgnoredHandshake = true
            }
            linger()
        case .alert:
            guard hasFirstMessage() else { return }
            observer.fault("tls:alert")
            Self.alert.withUnsafeBytes { _ = send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            beginLingering(saysGoodbye: false)
        case .drop:
            guard hasFirstMessage() else { return }
            observer.fault("tls:drop")
            abort()
        }
    }

    /// Whether the client has begun the handshake; what it said is thrown away.
    private func hasFirstMessage() -> Bool {
        let count = recv(socket, context.readBuffer.baseAddress, context.readBuffer.count, 0)
        if count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR) { abort() }
        return count > 0
    }

    private func shakeHands() {
        do {
            switch try tls.handshake() {
            case .wantsRead: waitsForRoom = false
            case .wantsWrite: waitsForRoom = true
            case .done:
                waitsForRoom = false
                guard tls.negotiatedProtocol == "h2" else {
                    guard context.configuration.fcm != nil, script.rule?.handshake != .withoutH2 else {
                        return endWithoutH2()
                    }
                    noteHandshake()
                    http1 = HTTP1Exchange()
                    return
                }
                noteHandshake()
                try beginSession()
            }
        } catch {
            failHandshake()
        }
    }

    private func noteHandshake() {
        if let peer = tls.peerCertificate {
            certificate = ProviderCertificate(peer)
            limit = Self.streamLimit(context.configuration, script.rule, needsToken: false)
        }
        observer.connected(
            tlsVersion: tls.protocolVersion,
            isResumed: tls.isResumed,
            certificate: certificate
        )
    }

    private func failHandshake() {
        observer.failedHandshake()
        abort()
    }

    private func endWithoutH2() {
        guard script.rule?.handshake == .withoutH2 else { return failHandshake() }
        observer.fault("tls:no_h2")
        beginLingering(saysGoodbye: true)
    }

    private func beginSession() throws(HTTP2Error) {
        let configuration = context.configuration
        let rule = script.rule
        var options = HTTP2Session.Options()
        options.maxConcurrentStreams = UInt32(limit.announced)
        options.initialWindow = UInt32(rule?.settings.initialWindowSize ?? configuration.initialWindowSize)
        options.maxHeaderListSize = UInt32(headerListLimit)
        // Constant answers are for measuring others: no window of this side shall be what is measured, unless a sink
        // asks for one.
        if !configuration.answersConstantly || configuration.constantAnswer != nil {
            options.connectionWindow = UInt32(rule?.connectionWindow ?? configuration.connectionWindow)
        }
        if let flood = rule?.flood, flood.frames == .windowUpdate {
            options.connectionWindow = UInt32(65_535 + flood.count)
            output.apply(OutgoingFilter(.crumble))
            observer.fault("flood:window_update")
        }
        if let rule, rule.windows != .regular { output.apply(OutgoingFilter(.keep)) }
        session = try HTTP2Session(role: .server, options: options, delegate: self)
        beginHabits()
        guard rule != nil else { return }
        beginScript()
    }

    /// The largest header list that a request may have.
    var headerListLimit: Int { script.rule?.settings.maxHeaderListSize ?? context.configuration.maxHeaderListSize }
}
