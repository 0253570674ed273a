import NIOCore

/// What nobody who asks may exceed.
enum APILimits {
    /// A search's client that takes nothing of it for this long loses its connection.
    static let streamReadingTime = TimeAmount.seconds(30)
    /// Of one header field, of all of them, and how many.
    static let fieldBytes = 8 << 10
    static let headBytes = 16 << 10
    static let fields = 64
    /// More wait in the system's queue.
    static let connections = 256
    /// Of these, how many may wait for a request, or for its client to take the answer; the one that has waited longest makes
    /// room for the next.
    static let waitingConnections = 128
    /// Of a request's body.
    static let bodyBytes = 64 << 10
    /// Around a request's body, where it comes in chunks: as many as chunks of one byte each need.
    static let framingBytes = 6 * bodyBytes
    /// For everything that a request needs of the store.
    static let handlingTime = Duration.seconds(12)
    /// The same where an audience is counted, of which a registry may hold millions: less than proxies wait by default.
    static let countingTime = Duration.seconds(50)
    /// Of an answer that has page after page: its records, and the time until it ends with a cursor.
    static let streamRecords = 10_000
    static let streamTime = Duration.seconds(60)
    /// Answers that go on and on: of one key or account, of all keys, and of all people.
    static let streamsOfOneKey = 4
    static let keyStreams = 32
    static let peopleStreams = 96
    /// Threads that ask the store, and requests that may wait for one of them.
    static let storeThreads = 4
    static let storeThreadsOfOneKey = 2
    static let storeQueue = 64
    static let storeQueueOfOneKey = 16
    /// Threads of their own for what must not wait for searches: keys, and whether the store answers.
    static let ownThreads = 2
    /// Requests at once and a second, of one key; the same for keys that nobody knows, by address.
    static let burst = 20
    static let perSecond = 10.0
    /// Sessions that a key may begin at once and a second.
    static let logIns = 5
    static let logInsPerSecond = 0.2

    /// Streams of people in a block of addresses: a quarter of all for one address, three quarters for the widest block.
    static func peopleStreams(in block: AddressBlock) -> Int {
        switch block.share {
        case ..<2: 24
        case ..<10: 32
        case ..<30: 48
        default: 72
        }
    }
}
