/// How often statistics are written, and what follows from that.
package struct StatisticsPace: Sendable {
    /// How often running totals are written.
    package let interval: Duration

    package init(interval: Duration = .seconds(5)) {
        self.interval = interval
    }

    /// How long nothing of a minute may be written before it is closed.
    var idle: Duration { interval * 36 }
    /// A writer that has not been seen for so long is taken over.
    var patience: Duration { interval * 12 }
    /// Of a writer that has not been seen for so many of its intervals, readers say that it may be gone, and with it what it had
    /// not written.
    ///
    /// Longer than a writer that is there is ever silent, but for a store that does not answer it.
    static let silence = 2
    /// A writer that has not said so long that it is there doubts what it has open.
    var freshness: Duration { patience / 2 }
    /// How often somebody looks for what is in doubt.
    package var look: Duration { interval * 3 }
    /// How long a head is left beside what it stands for: longer than a query may take that began before it.
    var overlap: Duration { max(interval * 3, .seconds(15)) }
    /// How long the minutes of an hour must be quiet before they are summed up.
    ///
    /// It may be too soon: then it is done again.
    var settling: Duration { interval * 60 }
    /// How often somebody looks for what is to be summed up.
    package var summingUp: Duration { interval * 12 }
    /// How long what a head or a sealed sum stands for is kept.
    static let keeping = Duration.seconds(3600)
}
