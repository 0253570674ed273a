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
    let odd: OddDocuments

    /// Looks at those whose turn it is.
    ///
    /// - Returns: whether there may be more.
    func turn(_ posted: PostedStore, _ follower: ProgressFollower) throws(MongoError) -> Bool {
        for _ in 0..<Self.pageSize {
            let now = WallClock.milliseconds()
            guard let followed = try posted.claimFollowed(now: now) else { return false }
            do throws(MongoError) {
                let (progress, waits) = try follower.progress(followed, now: now)
                let next = ProgressRule.next(progress.state, begins: followed.begins, isUntold: waits, now: now)
                try posted.note(followed, progress, next: next, now: now)
                if progress.state.isFinal { report.ended(followed, progress) }
            } catch {
                try end(followed, error, posted, now: now)
            }
        }
        return true
    }

    /// Ends a notification whose query the server refuses; its claim keeps another one from the next looks.
    ///
    /// - Throws: what concerns every notification.
    private func end(
        _ followed: PostedStore.Followed,
        _ refusal: MongoError,
        _ posted: PostedStore,
        now: Int64
    ) throws(MongoError) {
        guard refusal.code != .timeLimitExceeded else {
            return odd.cut("the outcomes of \(followed.audience)", retryIn: .milliseconds(PostedStore.lease))
        }
        guard refusal.isAboutTheQuery else { throw refusal }
        _ = try posted.fail(followed.id, refusal, now: now)
    }
}
