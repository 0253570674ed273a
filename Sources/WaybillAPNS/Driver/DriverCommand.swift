import Threads

/// What reaches a driver's thread from others.
enum DriverCommand: Sendable {
    case submit(lane: Int, batches: [APNSRequestBatch])
    /// End what waits for a stream.
    case withdraw(lane: Int)
    /// A host name was looked up for a connection, which may be gone by now.
    case resolved(connection: UInt64, Result<[SocketAddress], ResolutionFailure>)
    /// End when everything is done, or at this time.
    case close(by: MonotonicTime)
}
