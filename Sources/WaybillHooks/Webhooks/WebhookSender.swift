import Logging
import WaybillMongo
import WaybillOutbox
import WaybillTelemetry
import WaybillThreads
import WaybillTransfer

/// Tells endpoints what they are to be told: to many at once, to each a few at a time, so that one that is slow holds up nobody.
///
/// What came of an attempt is noted after it: who is killed in between tells it again, under the same id.
///
/// *Thread:* its own; it blocks on the store, and on no endpoint.
final class WebhookSender {
    private struct Attempt {
        let delivery: WebhookDelivery
        let began: MonotonicTime
        /// Since when the endpoint was active: what somebody has enabled since is another one.
        let activeSince: Int64
        let owner: WebhookOwner
    }

    private static let mostRunning = 128
    private static let standbyPause = Duration.seconds(2)
    private static let turn = Duration.milliseconds(100)
    private static let leaseInterval = Duration.seconds(4)
    private static let endpointInterval = Duration.seconds(1)
    private static let countInterval = Duration.seconds(30)
    private static let noteInterval = Duration.milliseconds(200)
    private static let mostNotes = 100
    /// How long what is under way is waited for at the end.
    private static let lastWait = Duration.seconds(5)

    private let settings: HooksSettings.Webhooks
    private let database: String
    private let control: HooksControl
    private let logger: Logger
    private let lease = WebhookProgress.newLease()
    private var generator = SystemRandomNumberGenerator()
    private var lanes: [String: WebhookLane] = [:]
    private var notes: [(note: WebhookNote, endpoint: String)] = []
    /// Why endpoints are to be disabled that are active since then, by their ids.
    private var disabled: [String: (reason: String, activeSince: Int64)] = [:]
    private var nextNote = MonotonicTime.now()
    private var nextLook = MonotonicTime.now()
    private var nextHold = MonotonicTime.now()
    private var nextCount = MonotonicTime.now()

    init(settings: HooksSettings.Webhooks, database: String, control: HooksControl, logger: Logger) {
        self.settings = settings
        self.database = database
        self.control = control
        self.logger = logger
    }

    /// Sends until told to stop, in turn with other processes.
    ///
    /// - Throws: what the store says; it is to be called again then. What was under way is told again.
    func work(_ client: MongoClient, _ hasSucceeded: () -> Void) throws(MongoError) {
        let progress = WebhookProgress(client: client, database: database, work: .sender, lease: lease)
        while !control.isStopping {
            control.webhooks.senderWatch.works()
            // What came of attempts is true whoever sends now.
            try note(client)
            guard try progress.hold(now: WallClock.milliseconds()) != nil else {
                hasSucceeded()
                sleep(Self.standbyPause)
                continue
            }
            hasSucceeded()
            logger.emit(WebhookLogEvent.sends)
            try send(progress, client, hasSucceeded)
        }
        try progress.release()
    }

    /// Goes on until told to stop, or until somebody else does it.
    private func send(_ progress: WebhookProgress, _ client: MongoClient, _ hasSucceeded: () -> Void) throws(MongoError)
    {
        let transfers: WebhookTransfers<Attempt>
        do throws(TransferError) {
            transfers = try WebhookTransfers()
        } catch {
            throw MongoError(code: .commandFailed, operation: "send webhooks", reason: error.description)
        }
        lanes = [:]
        (nextLook, nextHold) = (.now(), .now().advanced(by: Self.leaseInterval))
        while !control.isStopping {
            control.webhooks.senderWatch.works()
            let now = MonotonicTime.now()
            if now >= nextHold {
                guard try progress.hold(now: WallClock.milliseconds()) != nil else { return }
                nextHold = now.advanced(by: Self.leaseInterval)
            }
            if now >= nextLook { try look(client) }
            try fill(client)
            begin(transfers)
            for (attempt, result) in transfers.wait(atMost: Self.turn) { ended(attempt, result) }
            if notes.count >= Self.mostNotes || MonotonicTime.now() >= nextNote { try note(client) }
            hasSucceeded()
        }
        let end = MonotonicTime.now().advanced(by: Self.lastWait)
        while transfers.count > 0, MonotonicTime.now() < end {
            for (attempt, result) in transfers.wait(atMost: Self.turn) { ended(attempt, result) }
        }
        try note(client)
    }

    /// Looks which endpoints there are.
    private func look(_ client: MongoClient) throws(MongoError) {
        let endpoints = try WebhookEndpoints(client: client, database: database).all()
        let secrets = try WebhookSecrets(client: client, database: database).all()
        var lanes: [String: WebhookLane] = [:]
        for endpoint in endpoints where endpoint.isActive && disabled[endpoint.id] == nil {
            let live = secrets[endpoint.id] ?? []
            // Without a secret nothing can be signed: it is being made, or removed.
            guard !live.isEmpty else { continue }
            if var lane = self.lanes[endpoint.id], lane.endpoint.activeSince == endpoint.activeSince {
                lane.secrets = live
                lanes[endpoint.id] = lane
            } else {
                lanes[endpoint.id] = WebhookLane(endpoint, live)
            }
        }
        self.lanes = lanes
        nextLook = .now().advanced(by: Self.endpointInterval)
        let active = endpoints.filter(\.isActive).map(\.id)
        if MonotonicTime.now() >= nextCount {
            nextCount = .now().advanced(by: Self.countInterval)
            let waiting = try WebhookDeliveries(client: client, database: database).count(at: active, .waiting)
            control.webhooks.sizes.waiting = waiting
        }
        control.webhooks.sizes.active = active.count
        control.webhooks.sizes.disabled = endpoints.count - active.count
    }

    /// Asks what is due, where nothing waits in memory.
    private func fill(_ client: MongoClient) throws(MongoError) {
        let deliveries = WebhookDeliveries(client: client, database: database)
        // With many endpoints each is asked about less often, so that asking takes no more than a part of the time.
        let pause = max(Duration.milliseconds(500), .milliseconds(5 * lanes.count))
        let time = WallClock.milliseconds()
        for (id, lane) in lanes where lane.wantsMore(.now(), time) {
            let found = try deliveries.due(at: id, now: time, limit: lane.limit)
            lanes[id]?.take(found, pause: pause)
        }
    }

    /// Begins what can be begun, one for each endpoint in turn.
    private func begin(_ transfers: WebhookTransfers<Attempt>) {
        var hasBegun = true
        while hasBegun, transfers.count < Self.mostRunning {
            hasBegun = false
            for id in lanes.keys where transfers.count < Self.mostRunning {
                let time = WallClock.milliseconds()
                guard let delivery = lanes[id]?.next(time), let lane = lanes[id] else { continue }
                hasBegun = true
                let attempt = Attempt(
                    delivery: delivery,
                    began: .now(),
                    activeSince: lane.endpoint.activeSince,
                    owner: lane.endpoint.owner
                )
                do throws(TransferError) {
                    try transfers.begin(try post(delivery, lane, time), attempt)
                } catch {
                    ended(attempt, .failure(error))
                }
            }
        }
    }

    private func post(_ delivery: WebhookDelivery, _ lane: WebhookLane, _ time: Int64) throws(TransferError)
        -> WebhookPost
    {
        let owner = lane.endpoint.owner
        let allowsPlain = settings.allowsPlain(for: owner)
        do throws(WebhookURL.Problem) {
            // The settings may have changed since, or somebody the collection.
            _ = try WebhookURL(lane.endpoint.url, allowsPlain: allowsPlain)
        } catch {
            throw TransferError(error.description)
        }
        let reachable = settings.reachable(for: owner)
        return WebhookPost(
            url: lane.endpoint.url,
            headers: [
                ("Content-Type", "application/json"),
                ("webhook-id", delivery.event),
                ("webhook-timestamp", "\(time / 1000)"),
                ("webhook-signature", lane.secrets.signatures(id: delivery.event, now: time, body: delivery.body)),
            ],
            body: delivery.body,
            allowsPlain: allowsPlain,
            caFile: settings.caFile,
            timeLimit: settings.timeLimit,
            sharesConnections: settings.sharesConnections(for: owner),
            permits: { reachable.permits($0) }
        )
    }

    /// Decides what becomes of an event after an attempt, and keeps it to be noted.
    private func ended(_ attempt: Attempt, _ result: Result<WebhookAnswer, TransferError>) {
        let (delivery, time) = (attempt.delivery, WallClock.milliseconds())
        let answer = try? result.get()
        let number = delivery.attempts + 1
        let failing = lanes[delivery.endpoint]?.failingSince.map { time - $0 } ?? 0
        let decision = WebhookDecision.after(answer, attempt: number, failing: failing, using: &generator)
        let reason: String
        var isRefused = false
        var told: String?
        switch result {
        case .success(let answer): reason = "answered \(answer.status)"
        case .failure(let error):
            (reason, isRefused) = (error.description, error.isRefusedAddress)
            told = WebhookFailureText.text(error, for: attempt.owner)
        }
        let tried = WebhookAttempt(
            at: time,
            milliseconds: Int(MonotonicTime.now().duration(since: attempt.began) / .milliseconds(1)),
            status: answer?.status,
            error: told
        )
        var (state, due): (WebhookDelivery.State, Int64?) = (.waiting, nil)
        switch decision {
        case .delivered:
            state = .delivered
            control.webhooks.add { $0.delivered += 1 }
            if lanes[delivery.endpoint]?.succeeded(time) == true {
                logger.emit(WebhookLogEvent.endpointRecovered(endpoint: delivery.endpoint))
            }
            logger.emit(
                WebhookLogEvent.delivered(
                    event: delivery.event,
                    endpoint: delivery.endpoint,
                    attempt: number,
                    milliseconds: tried.milliseconds
                )
            )
        case .later(let pause, let rest):
            due = time + pause
            control.webhooks.add { if isRefused { $0.refusedAddress += 1 } else { $0.postponed += 1 } }
            failed(delivery, reason, rest: rest, time)
            logger.emit(
                WebhookLogEvent.postponed(
                    event: delivery.event,
                    endpoint: delivery.endpoint,
                    attempt: number,
                    reason,
                    retryIn: .milliseconds(pause)
                )
            )
        case .giveUp:
            state = .failed
            control.webhooks.add { if isRefused { $0.refusedAddress += 1 } else { $0.givenUp += 1 } }
            failed(delivery, reason, rest: 0, time)
            logger.emit(
                WebhookLogEvent.givenUp(
                    event: delivery.event,
                    endpoint: delivery.endpoint,
                    attempt: number,
                    reason: reason
                )
            )
        case .disable(let why, let pause):
            due = time + pause
            control.webhooks.add { if isRefused { $0.refusedAddress += 1 } else { $0.postponed += 1 } }
            failed(delivery, reason, rest: 0, time)
            // A late answer to what was sent before somebody enabled it says nothing of what it takes now.
            if lanes[delivery.endpoint].map({ $0.endpoint.activeSince == attempt.activeSince }) ?? true {
                disabled[delivery.endpoint] = (why, attempt.activeSince)
                // Nothing more is begun to it, also before the store knows.
                lanes[delivery.endpoint] = nil
            }
        }
        let words = state == .delivered ? nil : answer.map { Self.text($0.beginning) }
        notes.append(
            (
                WebhookNote(delivery: delivery.id, attempt: tried, state: state, due: due, answer: words),
                delivery.endpoint
            )
        )
        lanes[delivery.endpoint]?.ended()
    }

    private func failed(_ delivery: WebhookDelivery, _ reason: String, rest: Int64, _ time: Int64) {
        guard lanes[delivery.endpoint]?.failed(time, rest: rest) == true else { return }
        logger.emit(WebhookLogEvent.endpointFails(endpoint: delivery.endpoint, reason: reason))
    }

    /// Writes down what came of attempts, and how endpoints do.
    private func note(_ client: MongoClient) throws(MongoError) {
        nextNote = .now().advanced(by: Self.noteInterval)
        if !notes.isEmpty {
            let stuck = try WebhookDeliveries(client: client, database: database).note(notes.map(\.note))
            for (position, refusal) in stuck {
                let (note, endpoint) = notes[position]
                let event = String(note.delivery.dropLast(endpoint.count + 1))
                logger.emit(
                    WebhookLogEvent.givenUp(event: event, endpoint: endpoint, attempt: 0, reason: refusal.refusal)
                )
            }
            // What is stuck stays due: its lane is not to tell it again and again.
            let positions = Set(stuck.map(\.position))
            for (position, (note, endpoint)) in notes.enumerated() where !positions.contains(position) {
                lanes[endpoint]?.noted(note.delivery)
            }
            notes.removeAll(keepingCapacity: true)
        }
        let endpoints = WebhookEndpoints(client: client, database: database)
        for (id, lane) in lanes where lane.isChanged {
            try endpoints.note(
                id,
                lastSuccess: lane.lastSuccess,
                failingSince: lane.failingSince,
                restUntil: lane.restUntil
            )
            lanes[id]?.isKnown()
        }
        for (id, (reason, activeSince)) in disabled {
            if try endpoints.giveUp(id, reason: reason, activeSince: activeSince) {
                logger.emit(WebhookLogEvent.endpointDisabled(endpoint: id, reason: reason))
            }
            lanes[id] = nil
            disabled[id] = nil
        }
    }

    /// What was answered, as far as it is text.
    private static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self).filter { $0.isASCII ? $0 >= " " && $0 != "\u{7F}" : $0 != "\u{FFFD}" }
    }

    private func sleep(_ pause: Duration) {
        control.webhooks.senderWatch.waits()
        NamedThread.sleep(for: pause) { [control] in control.isStopping }
    }
}
