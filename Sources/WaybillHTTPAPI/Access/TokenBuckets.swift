import WaybillThreads

/// Lets each key ask so often at once, and so often a second.
///
/// Not safe to share: its owner has a lock.
struct TokenBuckets {
    /// What one request was told.
    struct Allowance: Hashable {
        var isGranted: Bool
        /// Requests that are left for now.
        var remaining: Int
        /// Seconds until all are there again.
        var reset: Int
    }

    private struct Bucket {
        var tokens: Double
        var time: MonotonicTime
    }

    private static let most = 10_000

    let burst: Int
    let perSecond: Double
    private var buckets: [String: Bucket] = [:]

    init(burst: Int = APILimits.burst, perSecond: Double = APILimits.perSecond) {
        self.burst = burst
        self.perSecond = perSecond
    }

    /// Whether a key's bucket has a token.
    func hasAny(_ key: String, now: MonotonicTime) -> Bool { buckets[key].map { level(of: $0, now) >= 1 } ?? true }

    /// How much of a key's bucket is left: 1 for one that nobody has taken from lately.
    func rest(_ key: String, now: MonotonicTime) -> Double {
        buckets[key].map { level(of: $0, now) / Double(burst) } ?? 1
    }

    /// Takes one token of a key's bucket.
    mutating func take(_ key: String, now: MonotonicTime) -> Allowance {
        if buckets.count >= Self.most, buckets[key] == nil { makeRoom(now) }
        var bucket = buckets[key] ?? Bucket(tokens: Double(burst), time: now)
        bucket.tokens = level(of: bucket, now)
        bucket.time = now
        let isGranted = bucket.tokens >= 1
        if isGranted { bucket.tokens -= 1 }
        buckets[key] = bucket
        let missing = Double(burst) - bucket.tokens
        return Allowance(
            isGranted: isGranted,
            remaining: Int(bucket.tokens),
            reset: Int((missing / perSecond).rounded(.up))
        )
    }

    private func level(of bucket: Bucket, _ now: MonotonicTime) -> Double {
        min(Double(burst), bucket.tokens + now.duration(since: bucket.time) / .seconds(1) * perSecond)
    }

    /// Forgets buckets that are full, which are as good as none; where that is not enough, the half that nobody has asked of for
    /// longest.
    private mutating func makeRoom(_ now: MonotonicTime) {
        buckets = buckets.filter { level(of: $0.value, now) < Double(burst) }
        guard buckets.count >= Self.most else { return }
        for (key, _) in buckets.sorted(by: { $0.value.time < $1.value.time }).prefix(Self.most / 2) {
            buckets[key] = nil
        }
    }
}
