import WaybillProviders
import WaybillTelemetry
import WaybillThreads

/// A lane on which pushes wait because it has no connection, or no token to send with, in words.
struct UnreachedTrouble {
    let lane: String
    let provider: ProviderName
    let obstacle: LaneObstacle
    /// Pushes.
    let waiting: Int
    let now: MonotonicTime

    /// What goes wrong, whose it is, and what to do about it.
    var trouble: Trouble {
        let length = now.duration(since: obstacle.since)
        let pushes = waiting == 1 ? "1 push waits" : "\(waiting) pushes wait"
        return Trouble(
            isForWantOfAToken ? .noToken : .pushServiceUnreached,
            "lane \(lane): \(lack) for \(Int(length / .seconds(1))) s, and \(pushes): \(obstacle.text)",
            lane: lane,
            since: WallClock.milliseconds() - Int64(length / .milliseconds(1)),
            advice: ObstacleAdvice.text(obstacle.kind) ?? advice
        )
    }

    private var isForWantOfAToken: Bool {
        switch obstacle.kind {
        case .network, .certificate: false
        case .token, .key, .clock: true
        }
    }

    private var lack: String {
        guard isForWantOfAToken else { return "the push service is not reached: no connection" }
        return switch provider {
        case .apns: "nothing can be sent: no provider token"
        case .fcm: "nothing can be sent: no access token"
        }
    }

    private var advice: String {
        let other =
            switch provider {
            case .apns: "the push service"
            case .fcm: "the push service, and its token endpoint"
            }
        return
            "Look at the network between this host and \(other): name resolution, routes, firewalls, a proxy. It is tried "
            + "again by itself, and nothing is lost meanwhile."
    }
}
