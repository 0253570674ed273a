import WaybillOutbox
import WaybillThreads

/// One endpoint, as the sender has it: what waits in memory, what is under way, and how it does.
struct WebhookLane {
    /// How many events may be under way to it: one that is slow has no more of the process than that.
    static let most = 4
    /// How many wait in memory.
    static let ahead = 64

    private(set) var endpoint: WebhookEndpoint
    var secrets: [WebhookSecrets.Live]
    /// What was read and is not under way yet, the longest due first.
    private var queue: ArraySlice<WebhookDelivery> = []
    /// What was read and is not noted yet, by id: it is due in the store still.
    private var taken: Set<String> = []
    private(set) var running = 0
    private var nextLook = MonotonicTime.now()
    private(set) var lastSuccess: Int64?
    private(set) var failingSince: Int64?
    private(set) var restUntil: Int64?
    /// Whether the store knows less of it.
    private(set) var isChanged = false
    private var notedSuccess: Int64?

    init(_ endpoint: WebhookEndpoint, _ secrets: [WebhookSecrets.Live]) {
        self.endpoint = endpoint
        self.secrets = secrets
        lastSuccess = endpoint.lastSuccess
        notedSuccess = endpoint.lastSuccess
        failingSince = endpoint.failingSince
        restUntil = endpoint.restUntil
    }

    /// Whether the store should be asked what is due.
    func wantsMore(_ now: MonotonicTime, _ time: Int64) -> Bool {
        queue.isEmpty && running < Self.most && now >= nextLook && !rests(time)
    }

    /// How much to ask for: what was taken comes again.
    var limit: Int { Self.ahead + taken.count }

    /// Takes what was found to be due.
    ///
    /// - Parameters:
    ///   - found: with what was taken before.
    ///   - pause: how long not to ask again where nothing new was found.
    mutating func take(_ found: [WebhookDelivery], pause: Duration) {
        queue = found.filter { !taken.contains($0.id) }.prefix(Self.ahead)
        taken.formUnion(queue.map(\.id))
        if queue.isEmpty { nextLook = .now().advanced(by: pause) }
    }

    /// The next one to send; `nil` while there is none, or enough is under way.
    mutating func next(_ time: Int64) -> WebhookDelivery? {
        guard running < Self.most, !rests(time), let first = queue.popFirst() else { return nil }
        running += 1
        return first
    }

    /// Notes that one is not under way any more.
    mutating func ended() { running = max(0, running - 1) }

    /// Notes that the store knows what came of one.
    mutating func noted(_ id: String) { taken.remove(id) }

    /// Notes that it has taken something.
    ///
    /// - Returns: whether it had failed before.
    mutating func succeeded(_ time: Int64) -> Bool {
        let hadFailed = failingSince != nil
        lastSuccess = time
        (failingSince, restUntil) = (nil, nil)
        if hadFailed || time - (notedSuccess ?? 0) > 60_000 { isChanged = true }
        return hadFailed
    }

    /// Notes that it has taken nothing.
    ///
    /// - Returns: whether that is news.
    mutating func failed(_ time: Int64, rest: Int64) -> Bool {
        let isNews = failingSince == nil
        if isNews { failingSince = time }
        if rest > 0 { restUntil = time + rest }
        if isNews || rest > 0 { isChanged = true }
        return isNews
    }

    /// Notes that the store knows all of it.
    mutating func isKnown() {
        isChanged = false
        notedSuccess = lastSuccess
    }

    private func rests(_ time: Int64) -> Bool { (restUntil ?? 0) > time }
}
