import WaybillThreads

/// What reaches a driver's thread from others.
enum DriverCommand: Sendable {
    case submit(lane: Int, batches: [APNSRequestBatch])
    /// End what waits for a stream: of one owner, or of all.
    case withdraw(lane: Int, owner: (any APNSRequestOwner)?)
    /// Go on with other credentials.
    case replaceCredentials(lane: Int, LaneSeed)
    /// A provider token may be there now.
    case wake
    /// A host name was looked up for a connection, which may be gone by now.
    case resolved(connection: UInt64, Result<[SocketAddress], ResolutionFailure>)
    /// End when everything is done, or at this time.
    case close(by: MonotonicTime)
}
