package import Logging
import WaybillAPNS
import WaybillTLS
package import WaybillThreads

/// What sending needs of a lane.
package struct LaneSetup: Sendable {
    package let settings: LaneSettings
    /// How many connections it may hold of those that it asks for.
    package let connections: Int
    /// What stands in its ``ProviderSettings/keyFile``; `nil` where it has none.
    package let key: [UInt8]?

    package init(settings: LaneSettings, connections: Int, key: [UInt8]?) {
        self.settings = settings
        self.connections = connections
        self.key = key
    }
}

/// How long sending is waited for.
package struct SendPatience: Sendable {
    /// For one answer.
    package let request: Duration
    /// For a provider that cannot be reached.
    package let unreachable: Duration

    package init(request: Duration, unreachable: Duration) {
        self.request = request
        self.unreachable = unreachable
    }
}

/// Sends notifications over the connections of all lanes, on threads of its own.
///
/// - *Input:* batches, from any thread. *Output:* exactly one end for each request, handed out on a driver's thread. The
///   caller bounds what is in flight.
/// - Each provider has its own client behind this one type, chosen for a lane at the start.
package final class ProviderDriver: Sendable {
    private let apns: APNSDriver
    private let failures: ConnectionFailures
    private let names: [String]
    /// By lane the last second, since 1970, in which its certificate is valid; `nil` for a lane that has none.
    package let certificateEnds: [Int64?]

    /// Starts the threads; connections are made when there is something to send.
    ///
    /// - Parameters:
    ///   - lanes: what to serve; the position is the lane's number in the calls below.
    ///   - patience: how long is waited.
    ///   - logger: hears of connections.
    ///   - onEnds: called on a driver's thread, at most once per lane in a turn of its loop, with everything that ended;
    ///     must return soon.
    /// - Throws: `APNSSetupError` or `TLSError` when a lane's values, key, certificate or trust file cannot be used, or the
    ///   system is out of threads or descriptors.
    package init(
        lanes: [LaneSetup],
        patience: SendPatience,
        logger: Logger,
        onEnds: @escaping @Sendable (_ lane: Int, _ ends: SendEnds) -> Void
    ) throws {
        var credentials = APNSLaneCredentials()
        certificateEnds = try lanes.map { try $0.settings.provider.identity?.certificateInfo().notAfter }
        names = lanes.map(\.settings.name)
        let failures = ConnectionFailures()
        self.failures = failures
        apns = try APNSDriver(
            name: "wb-apns-0",
            lanes: try lanes.map { lane in
                switch lane.settings.provider {
                case .apns(let settings):
                    APNSConfiguration(
                        lane,
                        bundleID: settings.rules.bundleID,
                        credentials: try credentials.make(settings, key: lane.key),
                        patience
                    )
                }
            },
            observer: APNSEventLog(logger: logger, failures: failures)
        ) { lane, outcomes in
            onEnds(lane, SendEnds(outcomes))
        }
    }

    /// Hands batches over, from any thread, with one lock and at most one wake-up for each lane.
    ///
    /// After ``close(grace:)`` every request ends as not sent, on the calling thread.
    package func submit(_ batches: SendBatches) {
        for (lane, batches) in batches.apns.enumerated() where !batches.isEmpty { apns.submit(batches, lane: lane) }
    }

    /// Takes back everything of a lane that waits for a stream, for a lane that its provider refuses as such.
    ///
    /// What is on a stream still gets its answer, and is not sent again. Returns at once; any thread, that of the ends too.
    package func withdraw(lane: Int) {
        apns.withdraw(lane: lane)
    }

    /// Takes back what waits for a stream of the batches of every owner of a kind; it ends as not sent.
    ///
    /// What is on a stream still gets its answer, and is not sent again. Returns at once; any thread.
    ///
    /// - Parameter isMeant: asked on a driver's thread, a few times for each batch; must return soon.
    package func withdraw(where isMeant: @escaping @Sendable (any SendOwner) -> Bool) {
        for lane in activities.indices {
            apns.withdraw(lane: lane) { owner in (owner as? any SendOwner).map(isMeant) ?? false }
        }
    }

    /// The threads that send.
    package var loops: [LoopWatch] { [apns.watch] }

    /// What the lanes do, in the order in which they were given; any thread, one lock.
    package var activities: [LaneActivity] { apns.snapshot.lanes.map(LaneActivity.init) }

    /// Why a lane's last attempt to connect has failed; `nil` once one succeeds.
    ///
    /// Any thread, one lock.
    package func connectionFailure(lane: Int) -> String? { failures.reason(lane: names[lane]) }

    /// Takes no more batches and ends when every request has its end, at the latest after the grace time.
    ///
    /// Returns at once; any thread.
    package func close(grace: Duration) {
        apns.close(grace: grace)
    }

    /// Waits for the threads to end, once, after ``close(grace:)``; every end has been handed out then.
    package func join() {
        apns.join()
    }
}
