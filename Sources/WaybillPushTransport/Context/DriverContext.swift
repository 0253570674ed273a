import WaybillThreads

/// What the lanes and connections of one driver share: the loop's clocks, its reactor, and a buffer to read to.
///
/// Belongs to the driver's thread. It knows connections only as ``EventHandler``s.
final class DriverContext {
    let reactor: Reactor
    /// Tells the driver's thread something, from any other.
    let notify: @Sendable (DriverNotice) -> Void
    let observer: any LaneObserver
    let clock: DriverClock
    /// The time of this turn of the loop; read once, used by everything in it.
    var now: ClockReading
    /// Milliseconds since 1970, for the dates of attempts.
    var unixMilliseconds: Int64 = 0
    /// Where every connection reads to; its contents live only until the next read.
    let input: UnsafeMutableRawBufferPointer
    /// By the token of their events.
    private(set) var handlers: [UInt64: any EventHandler] = [:]
    private var lastToken = DriverContext.mailboxToken

    /// The event token of the mailbox; connections count from there.
    static let mailboxToken: UInt64 = 0

    init(
        reactor: Reactor,
        observer: any LaneObserver,
        clock: DriverClock,
        notify: @escaping @Sendable (DriverNotice) -> Void
    ) {
        self.clock = clock
        self.reactor = reactor
        self.notify = notify
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

    /// A token for a new connection's events; never used twice.
    func nextToken() -> UInt64 {
        lastToken += 1
        return lastToken
    }

    func add(_ handler: any EventHandler, token: UInt64) {
        handlers[token] = handler
    }

    func remove(token: UInt64) {
        handlers[token] = nil
    }
}

/// Whoever waits for events of a descriptor, or for a host name.
protocol EventHandler: AnyObject {
    /// A descriptor is ready for something.
    func handle(_ event: Reactor.Event)

    /// The name that was asked for was looked up.
    func resolved(_ result: Result<[SocketAddress], ResolutionFailure>)
}
