/// How the delay between attempts to connect to one address grows: it doubles with each failure.
package struct ReconnectDelays: Hashable, Sendable {
    /// After the first failure.
    package var first = Duration.milliseconds(250)
    /// Never more than this.
    package var longest = Duration.seconds(30)

    package init() {}
}
