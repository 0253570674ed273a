/// How long each stage may take.
///
/// Nothing in the client waits without one of these.
package struct APNSDeadlines: Hashable, Sendable {
    /// Looking up the host name.
    package var resolve: Duration = .seconds(5)
    /// Connecting, over all addresses together.
    package var connect: Duration = .seconds(10)
    /// The TLS handshake.
    package var handshake: Duration = .seconds(10)
    /// From the handshake to the server's SETTINGS.
    package var settings: Duration = .seconds(10)
    /// From a request to the end of its answer.
    package var request: Duration = .seconds(15)
    /// A connection that has been silent for this long is asked for a sign of life.
    package var pingInterval: Duration = .seconds(30)
    /// How long the sign of life may take.
    package var pingAnswer: Duration = .seconds(10)
    /// How long a request waits while its lane makes no progress, before it ends as not sent.
    package var unreachable: Duration = .seconds(60)

    /// Creates the defaults.
    package init() {}

    /// Each deadline with its name, for validation.
    var all: [(name: String, value: Duration)] {
        [
            ("resolve", resolve), ("connect", connect), ("handshake", handshake), ("settings", settings),
            ("request", request), ("pingInterval", pingInterval), ("pingAnswer", pingAnswer),
            ("unreachable", unreachable),
        ]
    }
}
