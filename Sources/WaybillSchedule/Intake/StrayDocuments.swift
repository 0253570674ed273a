import WaybillMongo
import WaybillNotifications

/// Looks from time to time for documents that nobody would take: those that are too large, and those that nobody follows.
///
/// *Thread:* the worker's. *Blocking:* up to the limits of the pool and the time limits.
final class StrayDocuments {
    private let control: ScheduleControl
    private let odd: OddDocuments
    private let report: ScheduleReport
    private var oversized = LookPace()
    private var unfollowed = LookPace()

    init(control: ScheduleControl, odd: OddDocuments, report: ScheduleReport) {
        self.control = control
        self.odd = odd
        self.report = report
    }

    /// Looks, if it is time to.
    func look(_ posted: PostedStore) throws(MongoError) {
        var pause = try oversized.look { () throws(MongoError) in try refuseOversized(posted) }
        if let pause { odd.cut("documents that are too large", retryIn: pause) }
        pause = try unfollowed.look { () throws(MongoError) in
            control.unfollowed = try posted.unfollowed()
            for one in control.unfollowed { odd.unfollowed(one) }
        }
        if let pause { odd.cut("documents that nobody follows", retryIn: pause) }
    }

    /// Says of documents that are too large to be sent that they are.
    private func refuseOversized(_ posted: PostedStore) throws(MongoError) {
        for one in try posted.refuseOversized() {
            if one.canBeMarked {
                report.refused(one.name, reason: PostedStore.tooLarge)
            } else {
                odd.skipped(one.name, reason: "it has \(one.bytes) bytes and no room for a state")
            }
        }
    }
}
