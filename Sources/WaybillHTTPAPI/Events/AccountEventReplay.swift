import WaybillMongo
import WaybillNotifications
import WaybillThreads

/// What somebody has missed who comes back: asked of the store, from where they were.
///
/// Where it ends the store's own order says, and nobody's clock: a store in which nothing more is written is behind every clock,
/// and that of another machine may be wrong.
enum AccountEventReplay {
    /// More are not told: whoever has missed so many reads what there is anew.
    static let most = 200
    /// Less than a request may take (`APILimits.handlingTime`), so that whoever comes back hears that something is missing.
    private static let patience = Duration.seconds(8)

    /// Reads the events behind a place, up to now: what is written later comes from the feed.
    ///
    /// - Parameters:
    ///   - position: where the listener was.
    ///   - account: whose events.
    ///   - client: the store's.
    ///   - database: where events are.
    /// - Returns: the events; `nil` where the store has forgotten the place, or there are too many.
    /// - Throws: what else the store says.
    static func read(
        after position: AccountEventTail.Position,
        of account: String,
        _ client: MongoClient,
        database: String
    ) throws(MongoError) -> [AccountEventTail.Entry]? {
        guard let now = try client.operationTime() else { return nil }
        let tail = AccountEventTail(
            client: client,
            database: database,
            account: account,
            after: position,
            patience: .milliseconds(20)
        )
        let end = MonotonicTime.now().advanced(by: patience)
        var found: [AccountEventTail.Entry] = []
        while found.count <= most {
            guard MonotonicTime.now() < end else { return nil }
            do throws(MongoError) {
                if let entry = try tail.next() {
                    found.append(entry)
                } else if let place = tail.position?.operationTime, place >= now {
                    // Nothing came, and it has seen everything until now.
                    return found
                }
            } catch {
                if error.isHistoryLost || error.code == .commandFailed { return nil }
                throw error
            }
        }
        return nil
    }
}
