import WaybillThreads

/// What a connection tells the lane that it works for, and asks of it.
protocol ConnectionOwner: AnyObject {
    /// The addresses to try, in order.
    func candidates(_ found: [SocketAddress]) -> [SocketAddress]

    /// An address does not answer.
    func addressFailed(_ address: SocketAddress)

    /// The connection can carry requests.
    func connectionOpened(_ connection: ConnectionExecutor)

    /// The service asks for the connection to end.
    func goAway(_ connection: ConnectionExecutor, reason: String)

    /// The connection takes no more requests though it was in use: the next one may open at once.
    func noteLost(_ connection: ConnectionExecutor)

    /// The connection is as old as it may become.
    func replacementDue(_ connection: ConnectionExecutor)

    /// The connection is over; what was open on it has come back before.
    func connectionEnded(_ connection: ConnectionExecutor, _ end: ConnectionMachine.End)

    /// A request was answered.
    func answered(_ entry: StreamTable.Slot, on connection: ConnectionExecutor)

    /// A request has no answer.
    func unanswered(_ entry: StreamTable.Slot, _ end: StreamEnd)

    /// A request met its deadline; it comes back as unanswered.
    func requestTimedOut()
}
