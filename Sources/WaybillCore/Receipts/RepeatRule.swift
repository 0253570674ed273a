/// How often a critical notification is sent again that nobody acknowledges: `repeat_until_acknowledged` of a dispatch message.
package struct RepeatRule: Hashable, Sendable {
    /// From one push to the next, in seconds.
    package var interval: Int
    /// How many repeats there are at the most, the first push not counted.
    package var limit: Int

    /// A phone that is taken out of a pocket has a chance to answer.
    package static let intervals = 30...86_400
    /// An alarm that nobody hears needs another way, such as a call.
    package static let limits = 1...20

    package init(interval: Int, limit: Int) {
        self.interval = interval
        self.limit = limit
    }
}
