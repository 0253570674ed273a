/// How the delay between attempts to connect to one address grows: it doubles with each failure, and a random part keeps
/// a fleet from coming back in step.
public struct APNSReconnectDelays: Hashable, Sendable {
    /// After the first failure.
    public var first = Duration.milliseconds(250)
    /// Never more than this.
    public var longest = Duration.seconds(30)

    /// Creates the defaults.
    public init() {}
}
