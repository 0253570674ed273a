/// What a driver's own helpers tell its thread.
enum DriverNotice: Sendable {
    /// A token may be there now.
    case tokenReady
    /// A host name was looked up for a connection, which may be gone by now.
    case resolved(connection: UInt64, Result<[SocketAddress], ResolutionFailure>)
}
