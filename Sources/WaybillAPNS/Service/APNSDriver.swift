package import WaybillPushTransport
package import WaybillThreads

/// Sends notifications: one thread that owns the connections of several lanes.
///
/// - *Input:* batches, from any thread. *Output:* exactly one ``APNSOutcome`` for each request, handed out on the
///   driver's thread. The caller bounds what is in flight; the driver takes whatever it is given.
/// - What is certainly not with APNs is sent again here, at once and a few times; everything that takes longer is an
///   outcome. While an endpoint cannot be reached, its requests wait, for as long as ``APNSDeadlines/unreachable``
///   says, and behind others no longer than ``APNSDeadlines/waiting``; no lane waits for another.
package final class APNSDriver: Sendable {
    private let driver: PushDriver<APNSService>
    private let configurations: [APNSConfiguration]
    private let onOutcomes: @Sendable (_ lane: Int, _ outcomes: [APNSOutcome]) -> Void

    /// Starts a driver.
    ///
    /// Connections are made when there is something to send.
    ///
    /// - Parameters:
    ///   - name: the thread's name, at most 15 bytes: `wb-apns-0`.
    ///   - lanes: what to serve; the position is the lane's number in the calls below.
    ///   - observer: hears of connections, on the driver's thread.
    ///   - clock: what every deadline and the age of tokens is measured by.
    ///   - onOutcomes: called on the driver's thread, at most once per lane in a turn of its loop, with everything that
    ///     ended; must return soon.
    /// - Throws: ``APNSSetupError`` when a lane's values, certificate or trust file cannot be used, or the system is out
    ///   of threads or descriptors.
    package init(
        name: String,
        lanes: [APNSConfiguration],
        observer: any APNSObserver,
        clock: DriverClock = .system,
        onOutcomes: @escaping @Sendable (_ lane: Int, _ outcomes: [APNSOutcome]) -> Void
    ) throws(APNSSetupError) {
        var seeds: [LaneSeed] = []
        for lane in lanes { seeds.append(try LaneSeed(lane)) }
        self.onOutcomes = onOutcomes
        configurations = lanes
        do {
            driver = try PushDriver(
                name: name,
                lanes: seeds,
                observer: ObserverAdapter(observer: observer),
                clock: clock
            ) { lane in
                APNSService(
                    lane: lane,
                    authority: lanes[lane].endpoint.authority,
                    tokenBundleID: lanes[lane].tokenBundleID,
                    onOutcomes: onOutcomes
                )
            }
        } catch {
            throw APNSSetupError(.system, "\(error)")
        }
    }

    /// Hands batches over, from any thread, with one lock and at most one wake-up.
    ///
    /// After ``close(grace:)`` every request ends as not sent, on the calling thread.
    ///
    /// - Precondition: the lane is one of those that the driver was made with.
    package func submit(_ batches: [APNSRequestBatch], lane: Int) {
        guard !driver.submit(batches, lane: lane) else { return }
        var outcomes: [APNSOutcome] = []
        for batch in batches {
            for request in batch.requests {
                outcomes.append(
                    APNSOutcome(
                        owner: batch.owner,
                        index: request.index,
                        result: .failed(.notSent(.closed)),
                        latency: 0,
                        attempts: 0
                    )
                )
            }
        }
        onOutcomes(lane, outcomes)
    }

    /// Takes back everything of a lane that waits for a stream.
    ///
    /// For a lane that APNs refuses as such. The requests end as not sent, `"lane parked"`, with no attempt and no resend
    /// spent on that; as unknown if an earlier attempt may have been taken. What is on a stream still gets its answer,
    /// and ends so where it would be sent again. Batches submitted before the call are withdrawn, later ones are sent.
    /// Returns at once; any thread, that of the outcomes too.
    ///
    /// - Precondition: the lane is one of those that the driver was made with.
    package func withdraw(lane: Int) {
        driver.withdraw(lane: lane)
    }

    /// Takes back what waits for a stream of an owner's batches; the requests end as not sent, `"cancelled"`.
    ///
    /// Otherwise as ``withdraw(lane:)``.
    package func withdraw(owner: any PushRequestOwner, lane: Int) {
        driver.withdraw(owner: owner, lane: lane)
    }

    /// Takes back what waits for a stream of the batches of every owner of a kind; the requests end as not sent,
    /// `"cancelled"`.
    ///
    /// Otherwise as ``withdraw(lane:)``.
    ///
    /// - Parameters:
    ///   - lane: one of those that the driver was made with.
    ///   - isMeant: asked on the driver's thread, a few times for each batch; must return soon.
    package func withdraw(lane: Int, where isMeant: @escaping @Sendable (any PushRequestOwner) -> Bool) {
        driver.withdraw(lane: lane, where: isMeant)
    }

    /// Goes on with other credentials: requests that are sent from here on use them, on connections of their own, and
    /// what is under way ends with the old ones.
    ///
    /// A request that the old credentials got a 403 for is sent again with the new ones. Returns at once; any thread.
    ///
    /// - Precondition: the lane is one of those that the driver was made with.
    /// - Throws: ``APNSSetupError`` when a certificate cannot be used; the old credentials then stay.
    package func replaceCredentials(_ credentials: APNSCredentials, lane: Int) throws(APNSSetupError) {
        var configuration = configurations[lane]
        configuration.credentials = credentials
        driver.replaceCredentials(try LaneSeed(configuration).credentials, lane: lane)
    }

    /// Takes no more batches and ends when every request has its outcome, at the latest after the grace time.
    ///
    /// Requests without an answer then end as unknown, those that still wait as not sent. Returns at once; any thread.
    package func close(grace: Duration) {
        driver.close(grace: grace)
    }

    /// Waits for the thread to end; every outcome has been handed out then.
    ///
    /// Once, after ``close(grace:)``, and not on the
    /// driver's own thread.
    package func join() {
        driver.join()
    }

    /// Whether the thread's loop goes round.
    package var watch: LoopWatch { driver.watch }

    /// What the lanes were doing at the end of the driver's last turn, in their order; any thread, one lock.
    package var records: [LaneRecord] { driver.records }

    /// The same as the public value.
    package var snapshot: APNSSnapshot { APNSSnapshot(lanes: records.map(APNSLaneSnapshot.init)) }
}
