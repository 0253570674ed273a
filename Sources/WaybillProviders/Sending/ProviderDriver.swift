package import Logging
import WaybillAPNS
import WaybillFCM
package import WaybillPushTransport
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

/// Sends notifications over the connections of all lanes, on threads of its own: one for each provider that has lanes.
///
/// - *Input:* batches, from any thread. *Output:* exactly one end for each request, handed out on a driver's thread. The
///   caller bounds what is in flight.
/// - Each provider has its own client behind this one type, chosen for a lane at the start.
package final class ProviderDriver: Sendable {
    /// Which client serves a lane, and which of its lanes it is there.
    private enum Place {
        case apns(Int)
        case fcm(Int)
    }

    /// `nil` where no lane is the provider's.
    private let apns: APNSDriver?
    private let fcm: FCMDriver?
    private let places: [Place]
    /// By lane the last second, since 1970, in which its certificate is valid; `nil` for a lane that has none.
    package let certificateEnds: [Int64?]

    /// Starts the threads; connections are made when there is something to send.
    ///
    /// - Parameters:
    ///   - lanes: what to serve; the position is the lane's number in the calls below.
    ///   - patience: how long is waited.
    ///   - logger: hears of connections.
    ///   - onEnds: called on a driver's thread, at most once per lane in a turn of its loop, with everything that ended;
    ///     must return soon. Two drivers may call it at the same time, for lanes of their own.
    /// - Throws: `APNSSetupError`, `FCMSetupError` or `TLSError` when a lane's values, key, certificate or trust file cannot
    ///   be used, or the system is out of threads or descriptors.
    package init(
        lanes: [LaneSetup],
        patience: SendPatience,
        logger: Logger,
        onEnds: @escaping @Sendable (_ lane: Int, _ ends: SendEnds) -> Void
    ) throws {
        certificateEnds = try lanes.map { try $0.settings.provider.identity?.certificateInfo().notAfter }
        let ofAPNS = try Self.apnsLanes(lanes, patience)
        let ofFCM = try Self.fcmLanes(lanes, patience)
        var places: [Place] = []
        var (apnsCount, fcmCount) = (0, 0)
        for lane in lanes {
            switch lane.settings.provider {
            case .apns:
                places.append(.apns(apnsCount))
                apnsCount += 1
            case .fcm:
                places.append(.fcm(fcmCount))
                fcmCount += 1
            }
        }
        self.places = places
        apns =
            ofAPNS.isEmpty
            ? nil
            : try APNSDriver(
                name: "wb-apns-0",
                lanes: ofAPNS.map(\.configuration),
                observer: APNSEventLog(logger: logger)
            ) { [numbers = ofAPNS.map(\.lane)] lane, outcomes in
                onEnds(numbers[lane], SendEnds(outcomes))
            }
        do {
            fcm =
                ofFCM.isEmpty
                ? nil
                : try FCMDriver(
                    name: "wb-fcm-0",
                    lanes: ofFCM.map(\.configuration),
                    observer: FCMEventLog(logger: logger)
                ) { [numbers = ofFCM.map(\.lane)] lane, outcomes in
                    onEnds(numbers[lane], SendEnds(outcomes))
                }
        } catch {
            apns?.close(grace: .zero)
            apns?.join()
            throw error
        }
    }

    /// Hands batches over, from any thread, with one lock and at most one wake-up for each lane.
    ///
    /// After ``close(grace:)`` every request ends as not sent, on the calling thread.
    package func submit(_ batches: SendBatches) {
        for (lane, place) in places.enumerated() {
            switch place {
            case .apns(let number):
                if !batches.apns[lane].isEmpty { apns?.submit(batches.apns[lane], lane: number) }
            case .fcm(let number):
                if !batches.fcm[lane].isEmpty { fcm?.submit(batches.fcm[lane], lane: number) }
            }
        }
    }

    /// Takes back everything of a lane that waits for a stream, for a lane that its provider refuses as such.
    ///
    /// What is on a stream still gets its answer, and is not sent again. Returns at once; any thread, that of the ends too.
    package func withdraw(lane: Int) {
        switch places[lane] {
        case .apns(let number): apns?.withdraw(lane: number)
        case .fcm(let number): fcm?.withdraw(lane: number)
        }
    }

    /// Takes back what waits for a stream of the batches of every owner of a kind; it ends as not sent.
    ///
    /// What is on a stream still gets its answer, and is not sent again. Returns at once; any thread.
    ///
    /// - Parameter isMeant: asked on a driver's thread, a few times for each batch; must return soon.
    package func withdraw(where isMeant: @escaping @Sendable (any SendOwner) -> Bool) {
        for place in places {
            switch place {
            case .apns(let number):
                apns?.withdraw(lane: number) { owner in (owner as? any SendOwner).map(isMeant) ?? false }
            case .fcm(let number):
                fcm?.withdraw(lane: number) { owner in (owner as? any SendOwner).map(isMeant) ?? false }
            }
        }
    }

    /// The threads that send.
    package var loops: [LoopWatch] { [apns?.watch, fcm?.watch].compactMap(\.self) }

    /// What the lanes do, in the order in which they were given; any thread, one lock for each provider.
    package var activities: [LaneActivity] {
        let ofAPNS = apns?.records ?? []
        let ofFCM = fcm?.records ?? []
        return places.map { place in
            switch place {
            case .apns(let number): LaneActivity(ofAPNS[number])
            case .fcm(let number): LaneActivity(ofFCM[number])
            }
        }
    }

    /// What keeps a lane from sending; any thread, that of the ends too, one lock.
    package func obstacle(lane: Int) -> PushObstacle? {
        switch places[lane] {
        case .apns(let number): apns?.records[number].obstacle
        case .fcm(let number): fcm?.records[number].obstacle
        }
    }

    /// The pause that the last answers of a lane ask for, several in a row; any thread, that of the ends too, one lock.
    package func overload(lane: Int) -> Duration? {
        switch places[lane] {
        case .apns(let number): apns?.records[number].overload
        case .fcm(let number): fcm?.records[number].overload
        }
    }

    /// Ends what waits in memory for the time that an answer asks for, with this answer; later answers are ends at once.
    ///
    /// Returns at once; any thread.
    package func endAnswered() {
        // APNs' client keeps nothing.
        fcm?.endAnswered()
    }

    /// Takes no more batches and ends when every request has its end, at the latest after the grace time.
    ///
    /// Returns at once; any thread.
    package func close(grace: Duration) {
        apns?.close(grace: grace)
        fcm?.close(grace: grace)
    }

    /// Waits for the threads to end, once, after ``close(grace:)``; every end has been handed out then.
    package func join() {
        apns?.join()
        fcm?.join()
    }
}

extension ProviderDriver {
    /// The lanes to APNs with their numbers among all.
    private static func apnsLanes(
        _ lanes: [LaneSetup],
        _ patience: SendPatience
    ) throws -> [(lane: Int, configuration: APNSConfiguration)] {
        var credentials = APNSLaneCredentials()
        var found: [(Int, APNSConfiguration)] = []
        for (number, lane) in lanes.enumerated() {
            guard case .apns(let settings) = lane.settings.provider else { continue }
            let configuration = APNSConfiguration(
                lane,
                bundleID: settings.rules.bundleID,
                credentials: try credentials.make(settings, key: lane.key),
                patience
            )
            found.append((number, configuration))
        }
        return found
    }

    /// The lanes to FCM with their numbers among all.
    private static func fcmLanes(
        _ lanes: [LaneSetup],
        _ patience: SendPatience
    ) throws -> [(lane: Int, configuration: FCMConfiguration)] {
        var credentials = FCMLaneCredentials()
        var sharers: [String: Int] = [:]
        for lane in lanes {
            if case .fcm(let settings) = lane.settings.provider { sharers[settings.rules.project, default: 0] += 1 }
        }
        var found: [(Int, FCMConfiguration)] = []
        for (number, lane) in lanes.enumerated() {
            guard case .fcm(let settings) = lane.settings.provider else { continue }
            let configuration = FCMConfiguration(
                lane,
                settings,
                credentials: try credentials.make(lane),
                sharers: sharers[settings.rules.project] ?? 1,
                patience
            )
            found.append((number, configuration))
        }
        return found
    }
}
