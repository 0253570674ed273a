import Glibc
import WaybillHTTP2
import WaybillTLS
import WaybillThreads

/// Making a connection: name, addresses, proxy, TLS, session.
extension ConnectionExecutor {
    func start() {
        perform(machine.start(at: now))
    }

    /// The name was looked up.
    func resolved(_ result: Result<[SocketAddress], ResolutionFailure>) {
        guard machine.phase == .resolving else { return }
        switch result {
        case .success(let found):
            addresses = owner.candidates(found)
            perform(machine.resolved(addresses: addresses.count, at: now))
        case .failure(let failure):
            perform(machine.failed("the name cannot be resolved: \(failure.text)"))
        }
    }

    func connect(to position: Int) -> ConnectionMachine.Action {
        record.address = addresses[position].text
        switch addresses[position].connect(from: settings.sourceAddress) {
        case .failure(let failure):
            return addressFailed(position, failure)
        case .success(let socket):
            do {
                try context.reactor.register(socket, token: id, interest: .writable)
            } catch {
                close(socket)
                return machine.failed("\(error)")
            }
            race.add(socket, address: position)
            return .nothing
        }
    }

    func finishConnecting() {
        while machine.phase == .connecting, let change = race.nextChange(context.reactor) {
            switch change {
            case .failed(let position, let failure):
                perform(addressFailed(position, failure))
            case .connected(let position, let socket):
                race.closeAll(context.reactor)
                descriptor = socket
                interest = .writable
                address = addresses[position]
                record.address = addresses[position].text
                perform(machine.connected(at: now))
            }
        }
    }

    private func addressFailed(_ position: Int, _ failure: SocketFailure) -> ConnectionMachine.Action {
        owner.addressFailed(addresses[position])
        return machine.connectFailed(position, error: "\(addresses[position].text): \(failure.text)", at: now)
    }

    // MARK: Proxy

    func askForTunnel() -> ConnectionMachine.Action {
        guard let proxy = settings.proxy else { return machine.failed("there is no proxy") }
        let tunnel = ProxyTunnel(to: settings.endpoint, through: proxy)
        output = tunnel.request
        outputOffset = 0
        self.tunnel = tunnel
        openTunnel()
        return .nothing
    }

    /// Goes on with the request to the proxy, and its answer.
    func openTunnel() {
        while outputOffset < output.count {
            let count = output.withUnsafeBytes { bytes in
                send(
                    descriptor,
                    bytes.baseAddress! + outputOffset,
                    bytes.count - outputOffset,
                    Int32(MSG_NOSIGNAL)
                )
            }
            guard count > 0 else { return tunnelBlocked("the proxy hung up", on: .writable) }
            outputOffset += count
        }
        want(.readable)
        while machine.phase == .tunnelling {
            let count = recv(descriptor, context.input.baseAddress, context.input.count, 0)
            guard count > 0 else { return tunnelBlocked("the proxy hung up", on: .readable, isEnd: count == 0) }
            switch tunnel?.receive(UnsafeRawBufferPointer(rebasing: context.input[..<count])) {
            case .incomplete: continue
            case .open, nil:
                tunnel = nil
                output.removeAll(keepingCapacity: true)
                outputOffset = 0
                perform(machine.tunnelOpened(at: now))
            case .refused(let text):
                perform(machine.failed(text))
            }
        }
    }

    /// A call on the proxy's socket brought nothing: it would block, or the connection is over.
    private func tunnelBlocked(_ text: String, on interest: Reactor.Interest, isEnd: Bool = false) {
        let code = errno
        if !isEnd, code == EAGAIN || code == EINTR { return want(interest) }
        perform(machine.failed(text))
    }

    // MARK: TLS and HTTP/2

    func startTLS() -> ConnectionMachine.Action {
        do {
            tls = try TLSSession(
                client: credentials.tlsContext,
                socket: descriptor,
                hostName: settings.endpoint.host
            )
        } catch {
            return machine.failed("TLS: \(error)")
        }
        shakeHands()
        return .nothing
    }

    func shakeHands() {
        guard let tls else { return }
        do {
            switch try tls.handshake() {
            case .wantsRead: want(.readable)
            case .wantsWrite: want(.writable)
            case .done:
                want(.readable)
                record.tlsVersion = tls.protocolVersion
                record.isResumed = tls.isResumed
                perform(machine.secured(applicationProtocol: tls.negotiatedProtocol, at: now))
            }
        } catch {
            perform(machine.failed("TLS: \(error)"))
        }
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
