/// Where a client sends, and with what.
///
/// A value: it is checked when a client is made from it, and changing a copy afterwards changes nothing.
public struct FCMConfiguration: Sendable {
    /// Names the client's thread and logs: at most 8 ASCII characters.
    public var name = "fcm"
    /// The project that is sent to: its id or its number.
    public var project: String
    /// Who sends.
    public var credentials: FCMAccessTokenSource
    /// FCM's host; another one for tests.
    public var host = "fcm.googleapis.com"
    /// FCM's port.
    public var port: UInt16 = 443
    /// Whose certificates FCM may show.
    public var trust = FCMTrust.system
    /// A proxy to reach FCM through; the token endpoint has its own,
    /// ``FCMAccessTokenSource/init(_:trust:proxy:)``.
    public var proxy: FCMProxy?
    /// The most connections, 1 to 100, each of which carries about 100 messages at a time.
    ///
    /// The first opens when there is something to send, each further one when the open ones are full.
    public var connections = 10
    /// The least time between opening one connection and adding another.
    public var connectionSpacing = Duration.seconds(1)
    /// How long an address that failed is left alone: after the first failure, and at most.
    ///
    /// The time doubles in between, and has a random part.
    public var reconnectDelay: ClosedRange<Duration> = .milliseconds(250) ... .seconds(30)
    /// How long an answer may take, 11 to 120 seconds.
    ///
    /// FCM's own inner calls take up to 10 s, so that less than 11 s makes doubles.
    public var answerDeadline = Duration.seconds(15)
    /// After how long a connection is replaced, before FCM ends it at an hour of age: a random time of the range.
    public var connectionLifetime: ClosedRange<Duration> = .seconds(3186) ... .seconds(3540)
    /// The most messages in a second, 1 to 100,000; `nil` for no limit.
    ///
    /// Google gives a project 600,000 messages a minute, whoever sends them: divide by the number of processes. With a
    /// limit, a 429 of the whole project holds everything back for as long as FCM asks, and halves the rate; without one
    /// every message meets its own.
    public var messagesPerSecond: Int? = 9000
    /// How long the rate takes to grow from a tenth to its whole, at the start and after FCM has said that it is too much.
    ///
    /// An urgent message (``FCMMessage/isUrgent``) does not wait for the ramp.
    public var ramp = Duration.seconds(60)
    /// How long a message waits while no connection can be made, no access token is to be had, or FCM asks to wait; it then
    /// ends as not sent.
    public var patience = Duration.seconds(60)

    /// A configuration for a project.
    public init(project: String, credentials: FCMAccessTokenSource) {
        self.project = project
        self.credentials = credentials
    }

    /// A configuration for the service account's own project.
    public init(_ credentials: FCMAccessTokenSource) {
        self.init(project: credentials.account.projectID, credentials: credentials)
    }
}
