import WaybillDeviceRegistry
import WaybillMongo

/// The phones that were registered in log-ins: they are told nothing more when these end.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
struct LoginDevices {
    private let links: DeviceLinks

    init(client: MongoClient, database: String) {
        links = DeviceLinks(client: client, database: database)
    }

    /// Ends log-ins, and what their phones are told.
    ///
    /// The phones are logged out before, so that no fault after the end leaves one that is told; and after it, for one that was
    /// registered in between.
    ///
    /// - Parameters:
    ///   - logins: which end.
    ///   - account: whose they are.
    ///   - now: milliseconds since 1970.
    ///   - problem: makes what the store says a problem.
    ///   - end: ends them; whoever asks may, for some phones are logged out already.
    /// - Returns: what `end` returns.
    /// - Throws: what `end` throws; the same again is safe.
    func ending<Answer, Problem: Error>(
        _ logins: LinkedLogins,
        of account: String,
        now: Int64,
        orThrow problem: (MongoError) -> Problem,
        _ end: () throws(Problem) -> Answer
    ) throws(Problem) -> Answer {
        do throws(MongoError) {
            try links.logOut(user: account, of: logins, at: now)
        } catch {
            throw problem(error)
        }
        let answer = try end()
        do throws(MongoError) {
            try links.logOut(user: account, of: logins, at: now)
        } catch {
            throw problem(error)
        }
        return answer
    }

    /// The same, where nothing but the store says why not.
    func ending<Answer>(
        _ logins: LinkedLogins,
        of account: String,
        now: Int64,
        _ end: () throws(MongoError) -> Answer
    ) throws(MongoError) -> Answer {
        try ending(logins, of: account, now: now, orThrow: { $0 }, end)
    }

    /// Logs the phones of a log-in out that has ended already.
    func logOut(_ login: Login, now: Int64) throws(MongoError) {
        try links.logOut(user: login.account, of: .these([login.id]), at: now)
    }
}
