import WaybillThreads

/// The last storm of dead tokens of a lane: told of for a while after its end, so that whoever looks from time to time sees it.
struct DeadTokenMemory {
    /// For how long at the least.
    static let keeping = Duration.seconds(60)
    /// So many dead tokens, and such a part of what has ended, are a storm: in a list of addressees that is looked after, one
    /// in a hundred is dead.
    static let storm = (count: 50, percent: 50)

    private struct Height {
        let recent: DeadTokenShare.Recent
        let time: MonotonicTime
    }

    private var share = DeadTokenShare()
    /// As it was at its height, lately.
    private var height: Height?
    /// How many tokens were dead, and when the last of them was seen.
    private var last: (dead: Int, time: MonotonicTime)?
    /// When the last one of the storm was seen.
    private var end: MonotonicTime?

    /// - Parameters: as those of ``DeadTokenShare/take(dead:ended:sources:now:)``.
    /// - Returns: the storm that there is, or was, and how long ago its last dead token was seen; `nil` where there was none
    ///   lately.
    mutating func take(
        dead: Int,
        ended: Int,
        sources: DeadTokenSources,
        now: MonotonicTime
    ) -> (recent: DeadTokenShare.Recent, age: Duration)? {
        let recent = share.take(dead: dead, ended: ended, sources: sources, now: now)
        if last.map({ $0.dead < dead }) ?? true { last = (dead, now) }
        if recent.dead >= Self.storm.count, recent.dead * 100 >= recent.ended * Self.storm.percent {
            end = last?.time
            // Towards its end the share sees a part of it only.
            let isLower = height.map {
                recent.dead < $0.recent.dead && now.duration(since: $0.time) < DeadTokenShare.period
            }
            if isLower != true { height = Height(recent: recent, time: now) }
            return (recent, .zero)
        }
        guard let height, let end, now.duration(since: end) <= Self.keeping else {
            height = nil
            return nil
        }
        return (height.recent, now.duration(since: end))
    }
}
