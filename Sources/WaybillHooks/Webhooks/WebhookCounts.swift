/// What became of attempts to tell endpoints something, and of what they were to be told.
package struct WebhookCounts: Hashable, Sendable {
    package var delivered = 0
    /// Not taken, and tried again later.
    package var postponed = 0
    /// Not taken, and not tried again.
    package var givenUp = 0
    /// Connected to nothing, because no address of the endpoint's name may be: postponed or given up, and counted as neither.
    package var refusedAddress = 0
    /// Events that were found in the log, each once for each endpoint.
    package var events = 0
    /// How often the store had forgotten how far the log was read.
    package var gaps = 0

    package init() {}
}
