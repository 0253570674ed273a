import WaybillCore
import WaybillProviders
import WaybillTelemetry
import WaybillThreads

/// Notices what goes wrong while every thread runs and every server answers: a provider that is silent, work that does not
/// get done, tokens that die by the dozen, pushes that are put off one and all.
///
/// It compares what it is shown with what it was shown before: whoever asks for the state every few seconds keeps it going.
/// *Thread:* any.
final class DispatchTroubles: Sendable {
    /// So long may an answer, or the end of any message, take before somebody should know.
    static let patience = Duration.seconds(4)

    /// A lane as it is at this moment.
    struct ObservedLane {
        let name: String
        let provider: ProviderName
        let activity: LaneActivity
        /// Why its last attempt to connect has failed; `nil` once one succeeds.
        let connectionFailure: String?
    }

    private struct Memory {
        var progress = Standstill()
        var connections: [Standstill]
        var answers: [Standstill]
        var deadTokens: [DeadTokenMemory]
        var putOff: [PutOffMemory]
    }

    private let memory: Guarded<Memory>

    init(laneCount: Int) {
        memory = Guarded(
            Memory(
                connections: Array(repeating: Standstill(), count: laneCount),
                answers: Array(repeating: Standstill(), count: laneCount),
                deadTokens: Array(repeating: DeadTokenMemory(), count: laneCount),
                putOff: Array(repeating: PutOffMemory(), count: laneCount)
            )
        )
    }

    /// Looks.
    ///
    /// - Parameters:
    ///   - lanes: in the order of the configuration.
    ///   - counters: what has been done since the start.
    ///   - messages: how many are in flight.
    ///   - now: this moment.
    /// - Returns: what goes wrong.
    func found(
        lanes: [ObservedLane],
        counters: DispatchCounters.Snapshot,
        messages: Int,
        now: MonotonicTime = .now()
    ) -> [Trouble] {
        memory.withLock { memory in
            var troubles: [Trouble] = []
            for (index, lane) in lanes.enumerated() {
                let silence = memory.answers[index].duration(
                    of: lane.activity.answers,
                    isExpected: lane.activity.streams > 0,
                    now: now
                )
                if silence >= Self.patience {
                    troubles.append(Self.silent(lane.name, lane.activity.streams, silence))
                }
                let (activity, failure) = (lane.activity, lane.connectionFailure)
                let isolation = memory.connections[index].duration(
                    of: activity.connected,
                    isExpected: activity.waiting > 0 && activity.connectionsOpen == 0 && failure != nil,
                    now: now
                )
                if let failure, isolation >= Self.patience {
                    troubles.append(Self.unreached(lane.name, failure, activity.waiting, isolation))
                }
                let tally = counters.lanes[index]
                let storm = memory.deadTokens[index].take(
                    dead: tally.outcomes[.tokenInvalid],
                    ended: tally.outcomes.final,
                    sources: tally.deadTokens,
                    now: now
                )
                if let (recent, age) = storm {
                    let storm = DeadTokenStorm(lane: lane.name, provider: lane.provider, recent, age: age)
                    troubles.append(storm.trouble)
                }
                let refusals = memory.putOff[index].take(
                    answered: tally.answered,
                    accepted: tally.outcomes[.accepted],
                    putOff: tally.putOff,
                    now: now
                )
                if let refusals {
                    let found = PutOffTrouble(lane: lane.name, provider: lane.provider, recent: refusals)
                    troubles.append(found.trouble)
                }
            }
            let standstill = memory.progress.duration(
                of: counters.messagesAcknowledged + counters.recorded.all,
                isExpected: messages > 0,
                now: now
            )
            // Nothing is finished while a lane's answers do not come: that has been said, with what to do.
            let isExplained = troubles.contains { $0.kind == .pushServiceSilent || $0.kind == .pushServiceUnreached }
            if standstill >= Self.patience, !isExplained {
                let held = messages == 1 ? "1 message" : "\(messages) messages"
                troubles.append(
                    Trouble(
                        .standstill,
                        "holds \(held) and has finished nothing for \(Int(standstill / .seconds(1))) s",
                        advice:
                            "A lane, the store or the broker keeps it waiting, where one is named besides. If none is, and nothing is "
                            + "finished for two minutes, restart this dispatcher: what it holds is delivered again."
                    )
                )
            }
            return troubles
        }
    }

    private static func unreached(_ lane: String, _ failure: String, _ waiting: Int, _ length: Duration) -> Trouble {
        Trouble(
            .pushServiceUnreached,
            "lane \(lane): the push service is not reached: no connection for \(Int(length / .seconds(1))) s, and "
                + "\(waiting == 1 ? "1 push waits" : "\(waiting) pushes wait"): \(failure)",
            lane: lane,
            since: begin(of: length),
            advice: ConnectionAdvice.text(failure)
                ?? "Look at the network between this host and the push service: name resolution, routes, firewalls, a proxy. It is tried "
                + "again by itself, and nothing is lost meanwhile."
        )
    }

    /// When something began that has lasted for so long, in milliseconds since 1970.
    private static func begin(of length: Duration) -> Int64 {
        WallClock.milliseconds() - Int64(length / .milliseconds(1))
    }

    private static func silent(_ lane: String, _ streams: Int, _ length: Duration) -> Trouble {
        Trouble(
            .pushServiceSilent,
            "lane \(lane): the push service is silent: it took \(streams == 1 ? "1 push" : "\(streams) pushes") and has answered "
                + "none for \(Int(length / .seconds(1))) s",
            lane: lane,
            since: begin(of: length),
            advice:
                "Look at the network between this host and the push service, and at firewalls that drop packets. What is not "
                + "answered in time is sent again where that is safe."
        )
    }
}
