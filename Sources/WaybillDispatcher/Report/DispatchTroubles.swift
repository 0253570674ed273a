import WaybillProviders
import WaybillTelemetry
import WaybillThreads

/// Notices what goes wrong while every thread runs and every server answers: a provider that is silent or not reached, work
/// that does not get done, tokens that die by the dozen, pushes that are put off one and all.
///
/// It compares what it is shown with what it was shown before: whoever asks for the state every few seconds keeps it going.
/// *Thread:* any.
final class DispatchTroubles: Sendable {
    /// So long may a connection, an answer, or the end of any message, take before somebody should know.
    static let patience = Duration.seconds(4)

    /// A lane as it is at this moment.
    struct ObservedLane {
        let name: String
        let provider: ProviderName
        let activity: LaneActivity
        /// Whether its breaker is open: it sends nothing, or a probe alone.
        var isParked = false
        /// Whether an operator has ordered that it sends nothing.
        var isStoppedByOrder = false

        /// Whether something stands between the lane and what waits for it.
        var isHeldUp: Bool { activity.waiting > 0 && activity.obstacle != nil }
    }

    private struct Memory {
        var progress = Standstill()
        var lanes: [LaneTroubles]
    }

    private let memory: Guarded<Memory>

    init(laneCount: Int) {
        memory = Guarded(Memory(lanes: Array(repeating: LaneTroubles(), count: laneCount)))
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
            var troubles = lanes.indices.flatMap { index in
                memory.lanes[index].found(lanes[index], counters.lanes[index], now: now)
            }
            let standstill = memory.progress.duration(
                of: counters.messagesAcknowledged + counters.recorded.all,
                isExpected: messages > 0,
                now: now
            )
            // Nothing is finished while a lane does not get on: that is said, or will be, with what to do.
            let isExplained =
                lanes.contains(where: \.isHeldUp) || memory.lanes.contains { $0.stoppage.told != nil }
            if standstill >= Self.patience, !isExplained { troubles.append(Self.standing(messages, standstill)) }
            return troubles
        }
    }

    /// Since when nothing gets through on a lane, in milliseconds since 1970; `nil` while nothing is known to keep it.
    func stoppage(lane: Int) -> Int64? {
        memory.withLock { $0.lanes[lane].stoppage.told?.since }
    }

    private static func standing(_ messages: Int, _ length: Duration) -> Trouble {
        let held = messages == 1 ? "1 message" : "\(messages) messages"
        return Trouble(
            .standstill,
            "holds \(held) and has finished nothing for \(Int(length / .seconds(1))) s",
            advice:
                "A lane, the store or the broker keeps it waiting, where one is named besides. If none is, and nothing is "
                + "finished for two minutes, restart this dispatcher: what it holds is delivered again."
        )
    }
}
