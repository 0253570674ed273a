/// The pass that a deferred notification waits for: `pass` and `due` of its record.
package struct PlannedPass: Hashable, Sendable {
    /// The retry's ``RetryHeader/attempt``.
    package var number: Int
    /// When the retry's delay is over, in milliseconds since 1970.
    package var due: Int64

    package init(number: Int, due: Int64) {
        self.number = number
        self.due = due
    }
}
