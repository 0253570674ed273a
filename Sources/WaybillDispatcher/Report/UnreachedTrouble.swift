import WaybillProviders
import WaybillPushTransport
import WaybillTelemetry
import WaybillThreads

/// A lane on which pushes wait because it has no connection, or no token to send with, in words.
struct UnreachedTrouble {
    let lane: String
    let provider: ProviderName
    let obstacle: PushObstacle
    /// Pushes.
    let waiting: Int
    /// Since when nothing gets through: a silence may have come before.
    let stoppage: LaneStoppage.Told
    let now: MonotonicTime

    /// What goes wrong, whose it is, and what to do about it.
    var trouble: Trouble {
        let pushes =
            switch waiting {
            case 0: "no push waits for one at this moment"
            case 1: "1 push waits"
            default: "\(waiting) pushes wait"
            }
        let words = "\(lack) for \(Self.seconds(obstacle.since, now)) s, and \(pushes)\(before): \(obstacle.text)"
        return Trouble(
            obstacle.isForWantOfAToken ? .noToken : .pushServiceUnreached,
            "lane \(lane): \(words)",
            lane: lane,
            since: stoppage.since,
            advice: ObstacleAdvice.text(obstacle.kind) ?? advice
        )
    }

    /// That nothing was answered before the connection was lost; empty where it began with that.
    private var before: String {
        guard stoppage.begin.advanced(by: .seconds(1)) < obstacle.since else { return "" }
        return "; nothing has been answered for \(Self.seconds(stoppage.begin, now)) s"
    }

    private static func seconds(_ begin: MonotonicTime, _ now: MonotonicTime) -> Int {
        Int(now.duration(since: begin) / .seconds(1))
    }

    private var lack: String {
        guard obstacle.isForWantOfAToken else { return "the push service is not reached: no connection" }
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
