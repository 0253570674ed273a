/// Where a client sends, and with what.
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
    /// The most connections, each of which carries about 100 messages at a time.
    public var connections = 10
    /// How long an answer may take, 11 to 120 seconds.
    ///
    /// FCM's own inner calls take up to 10 s, so that less than 11 s makes doubles.
    public var answerDeadline = Duration.seconds(15)
    /// After how long a connection is replaced, before FCM ends it at an hour of age: a random time of the range.
    public var connectionLifetime: ClosedRange<Duration> = .seconds(3186) ... .seconds(3540)
    /// The most messages in a second, 1 to 100,000; `nil` for no limit.
    ///
    /// Google gives a project 600,000 messages a minute, whoever sends them: divide by the number of processes.
    public var messagesPerSecond: Int? = 9000
    /// How long the rate takes to grow from a tenth to its whole, at the start and after FCM has said that it is too much.
    public var ramp = Duration.seconds(60)
    /// How long a message waits while no connection can be made, or no access token is to be had.
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

    func validate() throws(FCMSetupError) {
        guard (1...8).contains(name.utf8.count), name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw FCMSetupError("name: must be 1 to 8 printable ASCII characters")
        }
        let isProject = project.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x61...0x7A, 0x41...0x5A, 0x2D, 0x2E, 0x3A, 0x5F: true
            default: false
            }
        }
        guard (1...128).contains(project.utf8.count), isProject else {
            throw FCMSetupError("project: must be 1 to 128 letters, digits, '-', '.', ':' or '_'")
        }
        guard !host.isEmpty, port > 0 else { throw FCMSetupError("host, port: must not be empty") }
        guard (1...100).contains(connections) else { throw FCMSetupError("connections: must be 1 to 100") }
        guard (.seconds(11) ... .seconds(120)).contains(answerDeadline) else {
            throw FCMSetupError("answerDeadline: must be 11 to 120 seconds, for less makes doubles")
        }
        guard messagesPerSecond.map({ (1...100_000).contains($0) }) ?? true else {
            throw FCMSetupError("messagesPerSecond: must be 1 to 100,000")
        }
        guard (.zero ... .seconds(3600)).contains(ramp) else {
            throw FCMSetupError("ramp: must be at most an hour")
        }
        guard connectionLifetime.lowerBound >= .seconds(1), patience >= .seconds(1) else {
            throw FCMSetupError("connectionLifetime, patience: must be at least a second")
        }
    }
}
