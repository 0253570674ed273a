import WaybillEncoding
import WaybillFleet

extension SendingNow {
    /// A dispatcher that has said nothing for too long, and is not replaced.
    struct Silent {
        let obstacle: Obstacle
        /// Whether it may hold what somebody asks for.
        let isSuspect: Bool
        /// Whether that was published after its last word.
        let isEarlier: Bool
    }

    /// Dispatchers that say nothing, those first that may hold what somebody asks for.
    ///
    /// - Parameters:
    ///   - dispatchers: all there are.
    ///   - published: when it was published, in milliseconds since 1970; `nil` where nobody knows.
    /// - Returns: what is told of each.
    func silent(_ dispatchers: Dispatchers, published: Int64?) -> [Silent] {
        let all = (try? leases.get()) ?? []
        let silent = dispatchers.silent.map { lease in
            let suspicion = FleetHealth.suspicion(of: lease, among: all, queues, published: published, now: now)
            let isEarlier = published.map { $0 > lease.seen } ?? false
            return Silent(
                obstacle: obstacle(
                    lease,
                    suspicion,
                    isEarlier: isEarlier,
                    isCounted: FleetHealth.keepsConsumer(lease, among: all, queues, now: now),
                    isAlone: dispatchers.present.isEmpty
                ),
                isSuspect: suspicion != .none,
                isEarlier: isEarlier
            )
        }
        return silent.filter(\.isSuspect) + silent.filter { !$0.isSuspect }
    }

    private func obstacle(
        _ lease: Lease,
        _ suspicion: FleetHealth.Suspicion,
        isEarlier: Bool,
        isCounted: Bool,
        isAlone: Bool
    ) -> Obstacle {
        let name = FleetHealth.name(lease)
        let holds =
            switch suspicion {
            case .had: " What is asked for may be in its hands: \(ProcessReport(lease).heldText)."
            case .gotLater where isEarlier: " What is asked for may be in its hands: \(Self.isRead)."
            case .gotLater where isCounted:
                " What is asked for may be in its hands, if it came after that; \(Self.isRead)."
            case .gotLater: " What is asked for may be in its hands, if it came after that."
            case .none: ""
            }
        let what = holds.isEmpty ? "What" : "Whatever else"
        let waits = isAlone ? " \(what) is published waits in the broker until a dispatcher works." : ""
        return Obstacle(
            "\(name) has said nothing since \(TimeText.text(milliseconds: lease.seen)): it hangs, was killed, or cannot "
                + "reach the store.\(holds)\(waits)",
            remedy: "\(name): \(FindingAdvice.silentDispatcher(lease))"
        )
    }

    private static let isRead = "the broker counts a consumer of it still"

    /// Whether one is there that takes what is published.
    private func isServed(_ dispatchers: Dispatchers) -> Bool {
        dispatchers.present.contains { !ProcessReport($0).isStopping }
    }

    /// Silent dispatchers that may hold nothing of what is asked for, where others work: none of what was published since.
    func bystanders(_ dispatchers: Dispatchers, _ silent: [Silent]) -> [Obstacle] {
        guard isServed(dispatchers) else { return [] }
        return silent.filter { !$0.isSuspect && !$0.isEarlier }.map(\.obstacle)
    }

    /// That no dispatcher is there, or one that may be says nothing, or has been told to end.
    func presence(_ dispatchers: Dispatchers, _ silent: [Silent]) -> [Obstacle] {
        let told = silent.filter { $0.isSuspect || !isServed(dispatchers) }.map(\.obstacle)
        // Who is silent may be there, and is to be looked at before another one is started.
        guard dispatchers.present.isEmpty, silent.isEmpty else { return told + ending(dispatchers) }
        let ended = dispatchers.last.flatMap { lease in
            lease.isEnded
                ? ": \(FleetHealth.name(lease)), the last one, ended at \(TimeText.text(milliseconds: lease.seen))"
                : nil
        }
        return [
            Obstacle(
                "No dispatcher runs\(ended ?? ""). What is published waits in the broker until one does.",
                remedy: "Start a dispatcher: \(Self.startCommand)."
            )
        ]
    }

    private static let startCommand =
        "`waybill dispatch`, or `systemctl start waybill-dispatch` where it is a service"

    /// That those which run have been told to end, where no other runs: of others is said what they lack.
    private func ending(_ dispatchers: Dispatchers) -> [Obstacle] {
        let reports = dispatchers.present.map { ($0, ProcessReport($0)) }
        guard reports.allSatisfy({ $1.isStopping }) else { return [] }
        return reports.enumerated().map { index, process in
            let (lease, report) = process
            let isLast = index == reports.count - 1
            let other = dispatchers.silent.isEmpty ? "No other dispatcher runs: what" : "What"
            return Obstacle(
                "\(FleetHealth.name(lease)) \(report.endingText)."
                    + (isLast ? " \(other) is published now waits in the broker until another one works." : ""),
                remedy: isLast && dispatchers.silent.isEmpty
                    ? "Start another dispatcher, unless a restart is under way: \(Self.startCommand)." : nil
            )
        }
    }

    /// Renewals that a process has missed of whom it is said that it is late, before it counts as silent.
    private static let lateness = Int64(Lease.interval / .milliseconds(1)) * 5 / 2

    func isLate(_ lease: Lease) -> Bool { now - lease.seen >= Self.lateness }

    /// That a dispatcher which counts as up has missed its last word: for as long nobody can tell a killed one from a slow one.
    func late(_ dispatchers: Dispatchers) -> [Obstacle] {
        dispatchers.present.filter(isLate).map { lease in
            let patience = Int64(Lease.patience / .milliseconds(1))
            return Obstacle(
                "\(FleetHealth.name(lease)) was last heard from at \(Self.time(lease.seen)), and should have been since: whether "
                    + "it is there shows by \(Self.time(lease.seen + patience))."
            )
        }
    }
}
