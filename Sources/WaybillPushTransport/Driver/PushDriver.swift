package import WaybillThreads

/// Sends requests: one thread that owns the connections of several lanes.
///
/// - *Input:* batches, from any thread. *Output:* each lane's ``PushService`` hears once how each request ended, on the
///   driver's thread. The caller bounds what is in flight; the driver takes whatever it is given.
/// - What is certainly not with the service is sent again here, at once and a few times. A request with attempts left waits
///   here for less than 10 s, if its answer asks for that; everything that takes longer is an end. While an endpoint cannot
///   be reached, its requests wait, for as long as ``TransportDeadlines/unreachable`` says, and behind others no longer than
///   ``TransportDeadlines/waiting``; no lane waits for another.
package final class PushDriver<Service: PushService>: Sendable {
    private let shared: DriverShared<Service.Batch>
    private let thread: NamedThread
    private let clock: DriverClock

    /// Starts a driver; connections are made when there is something to send.
    ///
    /// - Parameters:
    ///   - name: the thread's name, at most 15 bytes.
    ///   - lanes: what to serve; the position is the lane's number in the calls below.
    ///   - observer: hears of connections, on the driver's thread.
    ///   - clock: what every deadline and the age of tokens is measured by.
    ///   - makeService: called once for each lane, on the driver's thread.
    /// - Throws: `ThreadError` when the system is out of threads or descriptors.
    package init(
        name: String,
        lanes: [LaneSeed],
        observer: any LaneObserver,
        clock: DriverClock,
        makeService: @escaping @Sendable (_ lane: Int) -> Service
    ) throws(ThreadError) {
        let shared = try DriverShared<Service.Batch>(name: name, laneNames: lanes.map(\.settings.name))
        self.shared = shared
        self.clock = clock
        let started = try Mailbox<ThreadError?>()
        thread = try NamedThread.start(name: name) {
            do throws(ThreadError) {
                let loop = try DriverLoop(
                    shared: shared,
                    lanes: lanes,
                    observer: observer,
                    clock: clock,
                    makeService: makeService
                )
                started.send(nil)
                loop.run()
            } catch {
                started.send(error)
            }
        }
        started.wait(until: nil)
        var reports: [ThreadError?] = []
        started.drain(into: &reports)
        if let error = reports.first ?? nil { throw error }
    }

    deinit {
        shared.shut(by: clock.now().monotonic)
    }

    /// Hands batches over, from any thread, with one lock and at most one wake-up.
    ///
    /// - Returns: `false` after ``close(grace:)``: nothing was taken.
    /// - Precondition: the lane is one of those that the driver was made with.
    package func submit(_ batches: [Service.Batch], lane: Int) -> Bool {
        shared.submit(lane: lane, batches)
    }

    /// Takes back everything of a lane that waits for a stream.
    ///
    /// The requests end as not sent, ``PushFailureCause/parked``, with no attempt and no resend spent on that; as
    /// unknown if an earlier attempt may have been taken. What is on a stream still gets its answer, and ends so where it
    /// would be sent again. Batches submitted before the call are withdrawn, later ones are sent. Returns at once; any
    /// thread, that of the service too.
    ///
    /// - Precondition: the lane is one of those that the driver was made with.
    package func withdraw(lane: Int) {
        // Once the driver is shut nobody reads this, and everything ends anyway.
        shared.mailbox.send(.withdraw(lane: lane, owner: nil))
    }

    /// Takes back what waits for a stream of an owner's batches; the requests end as ``PushFailureCause/cancelled``.
    ///
    /// Otherwise as ``withdraw(lane:)``.
    package func withdraw(owner: any PushRequestOwner, lane: Int) {
        shared.mailbox.send(.withdraw(lane: lane, owner: owner))
    }

    /// Takes back what waits for a stream of the batches of every owner of a kind; the requests end as
    /// ``PushFailureCause/cancelled``.
    ///
    /// Otherwise as ``withdraw(lane:)``.
    ///
    /// - Parameters:
    ///   - lane: one of those that the driver was made with.
    ///   - isMeant: asked on the driver's thread, a few times for each batch; must return soon.
    package func withdraw(lane: Int, where isMeant: @escaping @Sendable (any PushRequestOwner) -> Bool) {
        shared.mailbox.send(.withdrawWhere(lane: lane, isMeant))
    }

    /// Ends every request that waits for the time that its answer asks for, with this answer; later answers are ends at once.
    ///
    /// Returns at once; any thread.
    package func endAnswered() {
        shared.mailbox.send(.endAnswered)
    }

    /// Goes on with other credentials: requests that are sent from here on use them, on connections of their own, and
    /// what is under way ends with the old ones.
    ///
    /// A request that the old credentials were refused for is sent again with the new ones. Returns at once; any thread.
    ///
    /// - Precondition: the lane is one of those that the driver was made with.
    package func replaceCredentials(_ credentials: TransportCredentials, lane: Int) {
        shared.mailbox.send(.replaceCredentials(lane: lane, credentials))
    }

    /// Takes no more batches and ends when every request has ended, at the latest after the grace time.
    ///
    /// Requests without an answer then end as unknown, those that still wait as not sent. Returns at once; any thread.
    package func close(grace: Duration) {
        shared.shut(by: clock.now().monotonic.advanced(by: grace))
    }

    /// Waits for the thread to end; every request has ended then.
    ///
    /// Once, after ``close(grace:)``, and not on the driver's own thread.
    package func join() {
        thread.join()
    }

    /// Whether the thread's loop goes round.
    package var watch: LoopWatch { shared.watch }

    /// What the lanes were doing at the end of the last turn; any thread, one lock.
    package var records: [LaneRecord] { shared.records }
}
