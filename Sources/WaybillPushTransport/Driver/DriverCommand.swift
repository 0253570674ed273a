import WaybillThreads

/// What reaches a driver's thread from others.
enum DriverCommand<Batch: Sendable>: Sendable {
    case submit(lane: Int, batches: [Batch])
    /// End what waits for a stream: of one owner, or of all.
    case withdraw(lane: Int, owner: (any PushRequestOwner)?)
    /// End what waits for a stream of every owner of a kind.
    case withdrawWhere(lane: Int, @Sendable (any PushRequestOwner) -> Bool)
    /// End what waits for the time that an answer asks for, in every lane, and let nothing wait so any more.
    case endAnswered
    /// Go on with other credentials.
    case replaceCredentials(lane: Int, TransportCredentials)
    /// What others have to say to the lanes and connections.
    case notice(DriverNotice)
    /// End when everything is done, or at this time.
    case close(by: MonotonicTime)
}
