package import WaybillMongo
import WaybillThreads

/// Threads that help to count a large batch, bounded for the whole process: who finds none free counts alone.
///
/// *Thread:* any.
package final class BatchHelpers: Sendable {
    /// How many may be at work; each takes a client out of the pool.
    package static let threads = 3

    private let pool: MongoPool
    private let free = Guarded(BatchHelpers.threads)

    /// - Parameter pool: with a client for each of the threads.
    package init(pool: MongoPool) {
        self.pool = pool
    }

    /// Starts as many threads as are free, `wb-batch`, and waits for none.
    ///
    /// - Parameter work: what each does, with a client of its own that is connected; a thread that gets no client does nothing.
    func begin(_ work: @escaping @Sendable (MongoClient) -> Void) {
        let count = free.withLock { free in
            defer { free = 0 }
            return free
        }
        for _ in 0..<count {
            do {
                _ = try NamedThread.start(name: "wb-batch") { [self] in
                    defer { free.withLock { $0 += 1 } }
                    try? pool.withClient { client throws(MongoError) in
                        // A range in hand would wait while the connection is made.
                        _ = try client.command(database: "admin", BSONDocument { $0.append("ping", int: 1) })
                        work(client)
                    }
                }
            } catch {
                free.withLock { $0 += 1 }
            }
        }
    }
}
