import WaybillMongo
import WaybillNotifications

/// When a document that waits for its time is looked at: pure.
///
/// Times are milliseconds since 1970.
enum WaitRule {
    private static let longest: Int64 = 60_000
    private static let shortest: Int64 = 500

    /// - Parameters:
    ///   - document: as it waits.
    ///   - now: the time.
    /// - Returns: when it begins and when to look again, where nothing is to be decided now: it is held. What is cancelled is not.
    static func pause(_ document: BSONDocument, now: Int64) -> (begins: Int64, look: Int64)? {
        guard !PostedStore.isCancelled(document), PostedStore.isHeld(document) else { return nil }
        let begins = document["at"]?.date ?? now
        return (begins, next(begins: begins, now: now))
    }

    /// At its time, and every minute until then; afterwards the more rarely the longer it is held.
    static func next(begins: Int64, now: Int64) -> Int64 {
        guard begins <= now else { return min(begins, now + longest) }
        return now + min(longest, max(shortest, (now - begins) / 4))
    }
}
