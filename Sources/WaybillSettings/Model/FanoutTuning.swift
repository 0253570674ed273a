/// How far `waybill fanout` goes ahead of the dispatchers, and how long it remembers.
package struct FanoutTuning: Hashable, Sendable {
    /// Messages, of a thousand notifications at most, that wait in the bulk queue while nothing more is put there; each process
    /// may go beyond by what it expands at the moment.
    package var backlog: Int
    /// How long the record of an audience is kept after its end, and a repeat of its message recognised.
    package var keep: Duration

    package init(backlog: Int = 100, keep: Duration = .seconds(30 * 86_400)) {
        self.backlog = backlog
        self.keep = keep
    }
}
