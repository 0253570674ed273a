import WaybillMongo
import WaybillNotifications
import WaybillThreads

/// Writes what has become of notifications whose time to be looked at has come.
///
/// *Thread:* the worker's. *Blocking:* up to the limits of the pool and the time limits.
struct ProgressWriter {
    /// So many are looked at before others have their turn.
    private static let pageSize = 50

    let report: ScheduleReport

    /// Looks at those whose turn it is.
    ///
    /// - Returns: whether there may be more.
    func turn(_ posted: PostedStore, _ follower: ProgressFollower) throws(MongoError) -> Bool {
        for _ in 0..<Self.pageSize {
            let now = WallClock.milliseconds()
            guard let followed = try posted.claimFollowed(now: now) else { return false }
            let (progress, waits) = try follower.progress(followed, now: now)
            let next = ProgressRule.next(progress.state, begins: followed.begins, isUntold: waits, now: now)
            try posted.note(followed, progress, next: next, now: now)
            if progress.state.isFinal { report.ended(followed, progress) }
        }
        return true
    }
}
