import Glibc

/// How many connections to the provider the lanes may hold, so that the broker and the store always find a file descriptor.
///
/// Without it a dispatcher can stand still: it loses the store, its lanes take the descriptors that this sets free, and keep
/// them while they wait for the store, which cannot be reached for want of one.
enum DescriptorBudget {
    /// What is kept for everything but the provider: about two dozen at rest, more while a replica set is looked for.
    static let reserved = 32

    /// The soft limit of this process (`RLIMIT_NOFILE`); as good as none where it is unlimited.
    static var limit: Int {
        let limit = sysconf(Int32(_SC_OPEN_MAX))
        return limit < 0 ? .max : limit
    }

    /// What each lane may have of the connections that it wants: all, or the largest wishes are cut down to one size.
    ///
    /// Each lane has one, whatever the limit.
    static func share(_ wanted: [Int], limit: Int) -> [Int] {
        let room = max(limit - reserved, wanted.count)
        guard let largest = wanted.max(), wanted.reduce(0, +) > room else { return wanted }
        // Few lanes and at most 64 connections each.
        let size = (1...largest).last { size in wanted.reduce(0) { $0 + min($1, size) } <= room } ?? 1
        return wanted.map { min($0, size) }
    }
}
