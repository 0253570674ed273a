package import WaybillPushTransport
package import WaybillThreads

/// Sends requests of several lanes: one thread that owns all their connections.
///
/// - *Input:* batches, from any thread. *Output:* exactly one ``FCMOutcome`` for each request, handed out on the driver's
///   thread. The caller bounds what is in flight; the driver takes whatever it is given.
/// - A lane has one project, one service account and a pace of its own. What is certainly not with FCM is sent again here, at
///   once and a few times, and what has attempts left after a wait below 10 s that FCM asks for; everything that takes longer
///   is an outcome.
package final class FCMDriver: Sendable {
    private let driver: PushDriver<FCMService>
    private let onOutcomes: @Sendable (_ lane: Int, _ outcomes: [FCMOutcome]) -> Void

    /// Starts a driver; connections are made when there is something to send.
    ///
    /// - Parameters:
    ///   - name: the thread's name, at most 15 bytes: `wb-fcm-0`.
    ///   - lanes: what to serve, each under ``FCMConfiguration/name``; the position is the lane's number in the calls below.
    ///   - observer: hears of connections, on the driver's thread.
    ///   - clock: what every deadline and the age of tokens is measured by.
    ///   - onOutcomes: called on the driver's thread, at most once per lane in a turn of its loop, with everything that
    ///     ended; must return soon.
    /// - Throws: ``FCMSetupError`` when a lane's values or trust file cannot be used, or the system is out of threads or
    ///   descriptors.
    package init(
        name: String,
        lanes: [FCMConfiguration],
        observer: any FCMObserver,
        clock: DriverClock = .system,
        onOutcomes: @escaping @Sendable (_ lane: Int, _ outcomes: [FCMOutcome]) -> Void
    ) throws(FCMSetupError) {
        var seeds: [LaneSeed] = []
        var addresses: [(authority: String, project: String)] = []
        for lane in lanes {
            let seed = try LaneSeed(lane)
            addresses.append((seed.settings.endpoint.authority, lane.project))
            seeds.append(seed)
        }
        self.onOutcomes = onOutcomes
        do {
            driver = try PushDriver(
                name: name,
                lanes: seeds,
                observer: ObserverAdapter(observer: observer),
                clock: clock
            ) { [addresses] lane in
                FCMService(authority: addresses[lane].authority, project: addresses[lane].project) { outcomes in
                    onOutcomes(lane, outcomes)
                }
            }
        } catch {
            throw FCMSetupError("\(error)")
        }
    }

    /// Hands batches over, from any thread, with one lock and at most one wake-up.
    ///
    /// After ``close(grace:)`` every request ends as not sent, on the calling thread.
    ///
    /// - Precondition: the lane is one of those that the driver was made with.
    package func submit(_ batches: [FCMRequestBatch], lane: Int) {
        guard !driver.submit(batches, lane: lane) else { return }
        onOutcomes(
            lane,
            batches.flatMap { batch in
                batch.requests.map {
                    FCMOutcome(owner: batch.owner, index: $0.index, result: .failed(.notSent(.closed)))
                }
            }
        )
    }

    /// Takes back everything of a lane that waits for a stream; see ``PushDriver/withdraw(lane:)``.
    package func withdraw(lane: Int) {
        driver.withdraw(lane: lane)
    }

    /// Takes back what waits for a stream of the batches of every owner of a kind; see ``PushDriver/withdraw(lane:where:)``.
    package func withdraw(lane: Int, where isMeant: @escaping @Sendable (any PushRequestOwner) -> Bool) {
        driver.withdraw(lane: lane, where: isMeant)
    }

    /// Ends what waits for the time that an answer asks for; see ``PushDriver/endAnswered()``.
    package func endAnswered() {
        driver.endAnswered()
    }

    /// Takes no more batches and ends when every request has its outcome, at the latest after the grace time.
    ///
    /// Requests without an answer then end as unknown, those that still wait as not sent. Returns at once; any thread.
    package func close(grace: Duration) {
        driver.close(grace: grace)
    }

    /// Waits for the thread to end, once, after ``close(grace:)``; every outcome has been handed out then.
    package func join() {
        driver.join()
    }

    /// Whether the thread's loop goes round.
    package var watch: LoopWatch { driver.watch }

    /// What the lanes were doing at the end of the driver's last turn, in their order; any thread, one lock.
    package var records: [LaneRecord] { driver.records }
}

extension LaneSeed {
    /// Checks a configuration and makes what the transport wants of it.
    fileprivate init(_ configuration: FCMConfiguration) throws(FCMSetupError) {
        do throws(FCMSetupError) {
            try configuration.validate()
        } catch {
            throw FCMSetupError("lane \(configuration.name): \(error.text)")
        }
        do {
            self.init(
                settings: configuration.transport,
                credentials: .fcm(configuration.credentials, try configuration.makeTLSContext())
            )
        } catch {
            throw FCMSetupError("lane \(configuration.name): \(error)")
        }
    }
}
