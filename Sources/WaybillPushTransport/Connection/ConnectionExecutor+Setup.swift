import WaybillHTTP2
import WaybillTLS
import WaybillThreads

/// Making a connection, step by step as the machine says: name, addresses, proxy, TLS, session.
extension ConnectionExecutor {
    func start() {
        perform(machine.start(at: now))
    }

    func lookUp() {
        let (id, notify) = (id, context.notify)
        HostLookup.start(settings.firstHop, literals: settings.addresses) { notify(.resolved(connection: id, $0)) }
    }

    /// The name was looked up.
    func resolved(_ result: Result<[SocketAddress], ResolutionFailure>) {
        guard machine.phase == .resolving else { return }
        switch result {
        case .success(let found):
            dialer.addresses = owner.candidates(found)
            perform(machine.resolved(addresses: dialer.addresses.count, at: now))
        case .failure(let failure):
            perform(machine.failed("the name cannot be resolved: \(failure.text)"))
        }
    }

    func connect(to position: Int) -> ConnectionMachine.Action {
        meter.record.address = dialer.addresses[position].text
        do {
            let failure = try dialer.connect(
                to: position,
                from: settings.sourceAddress,
                token: id,
                context.reactor
            )
            return failure.map { addressFailed(position, $0) } ?? .nothing
        } catch {
            return machine.failed("\(error)")
        }
    }

    func finishConnecting() {
        while machine.phase == .connecting, let change = dialer.nextChange(context.reactor) {
            switch change {
            case .failed(let position, let failure):
                perform(addressFailed(position, failure))
            case .connected(let address, let connected):
                socket.adopt(connected, interest: .writable)
                self.address = address
                meter.record.address = address.text
                perform(machine.connected(at: now))
            }
        }
    }

    private func addressFailed(_ position: Int, _ failure: SocketFailure) -> ConnectionMachine.Action {
        let address = dialer.addresses[position]
        owner.addressFailed(address)
        return machine.connectFailed(position, error: "\(address.text): \(failure.text)", at: now)
    }

    // MARK: Proxy

    func askForTunnel() -> ConnectionMachine.Action {
        guard let proxy = settings.proxy else { return machine.failed("there is no proxy") }
        dialer.beginTunnel(to: settings.endpoint, through: proxy)
        return openTunnel()
    }

    /// Goes on with the request to the proxy, and its answer.
    func openTunnel() -> ConnectionMachine.Action {
        switch dialer.advanceTunnel(on: socket.descriptor, buffer: context.input) {
        case .wait(let interest):
            want(interest)
            return .nothing
        case .open: return machine.tunnelOpened(at: now)
        case .failed(let text): return machine.failed(text)
        }
    }

    // MARK: TLS and HTTP/2

    func startTLS() -> ConnectionMachine.Action {
        do {
            tls = try TLSSession(
                client: credentials.tlsContext,
                socket: socket.descriptor,
                hostName: settings.endpoint.host
            )
        } catch {
            return machine.failed("TLS: \(error)")
        }
        return shakeHands()
    }

    func shakeHands() -> ConnectionMachine.Action {
        guard let tls else { return .nothing }
        do throws(TLSError) {
            switch try tls.handshake() {
            case .wantsRead: want(.readable)
            case .wantsWrite: want(.writable)
            case .done:
                want(.readable)
                meter.record.tlsVersion = tls.protocolVersion
                meter.record.isResumed = tls.isResumed
                return machine.secured(applicationProtocol: tls.negotiatedProtocol, at: now)
            }
        } catch {
            return machine.failed("TLS: \(error)", error.code == .certificateRejected ? .certificate : .network)
        }
        return .nothing
    }

    func startSession() -> ConnectionMachine.Action {
        do {
            var options = HTTP2Session.Options()
            options.firstStream = settings.firstStream
            http = try HTTP2Session(role: .client, options: options, delegate: self)
        } catch {
            return machine.failed("HTTP/2: \(error)")
        }
        flush()
        return .nothing
    }
}
