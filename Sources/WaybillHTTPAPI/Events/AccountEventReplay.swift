import WaybillMongo
import WaybillNotifications
import WaybillThreads

/// What somebody has missed who comes back: asked of the store, from where they were.
enum AccountEventReplay {
    /// More are not told: whoever has missed so many reads what there is anew.
    static let most = 200
    private static let patience = Duration.seconds(3)

    /// Reads the events behind a place, up to now.
    ///
    /// - Parameters:
    ///   - position: where the listener was.
    ///   - account: whose events.
    ///   - now: milliseconds since 1970: what is written later comes from the feed.
    ///   - client: the store's.
    ///   - database: where events are.
    /// - Returns: the events; `nil` where the store has forgotten the place, or there are too many.
    /// - Throws: what else the store says.
    static func read(
        after position: AccountEventTail.Position,
        of account: String,
        now: Int64,
        _ client: MongoClient,
        database: String
    ) throws(MongoError) -> [AccountEventTail.Entry]? {
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
                } else if let second = tail.position?.second, second >= now / 1000 {
                    // Nothing came, and it has seen everything until now.
                    return found
                } else if tail.position == position {
                    // Nothing at all has been written since.
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
