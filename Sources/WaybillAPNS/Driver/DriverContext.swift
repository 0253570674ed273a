import WaybillThreads

/// What the lanes and connections of one driver share.
///
/// Belongs to the driver's thread.
final class DriverContext {
    let reactor: Reactor
    let mailbox: Mailbox<DriverCommand>
    let observer: any APNSObserver
    let clock: APNSClock
    /// The time of this turn of the loop; read once, used by everything in it.
    var now: APNSInstant
    /// Milliseconds since 1970, for the dates of attempts.
    var unixMilliseconds: Int64 = 0
    /// Where every connection reads to; its contents live only until the next read.
    let input: UnsafeMutableRawBufferPointer
    /// By the token of their events.
    private(set) var connections: [UInt64: ConnectionExecutor] = [:]
    private var lastConnection = DriverContext.mailboxToken

    /// The event token of the mailbox; connections count from there.
    static let mailboxToken: UInt64 = 0

    init(
        reactor: Reactor,
        mailbox: Mailbox<DriverCommand>,
        observer: any APNSObserver,
        clock: APNSClock
    ) {
        self.clock = clock
        self.reactor = reactor
        self.mailbox = mailbox
        self.observer = observer
        now = clock.now()
        // A TLS record holds at most 16 KiB, and a read returns at most one.
        input = .allocate(byteCount: 16 * 1024, alignment: 16)
    }

    deinit {
        input.deallocate()
    }

    func readClocks() {
        unixMilliseconds = WallClock.milliseconds()
        now = clock.now()
    }

    func nextConnectionID() -> UInt64 {
        lastConnection += 1
        return lastConnection
    }

    func add(_ connection: ConnectionExecutor) {
        connections[connection.id] = connection
    }

    func remove(_ connection: ConnectionExecutor) {
        connections[connection.id] = nil
    }

    /// Looks a name up on a thread of its own, because the resolver blocks; the answer comes through the mailbox.
    ///
    /// - Parameters:
    ///   - hop: the name, which may be an address, and the port.
    ///   - addresses: what to answer in place of a look-up, unless empty.
    ///   - connection: who asks.
    func resolve(_ hop: (host: String, port: UInt16), addresses: [String], for connection: UInt64) {
        guard addresses.isEmpty else {
            let literals = addresses.compactMap { SocketAddress.literal($0, port: hop.port) }
            mailbox.send(.resolved(connection: connection, .success(literals)))
            return
        }
        if case .success(let addresses) = SocketAddress.resolve(
            host: hop.host,
            port: hop.port,
            numericOnly: true
        ) {
            mailbox.send(.resolved(connection: connection, .success(addresses)))
            return
        }
        let mailbox = mailbox
        do {
            _ = try NamedThread.start(name: "wb-resolve") {
                mailbox.send(
                    .resolved(
                        connection: connection,
                        SocketAddress.resolve(host: hop.host, port: hop.port)
                    )
                )
            }
        } catch {
            mailbox.send(.resolved(connection: connection, .failure(ResolutionFailure(text: "\(error)"))))
        }
    }
}
