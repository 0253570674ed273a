import WaybillEncoding
import WaybillFleet

extension SendingNow {
    /// That no dispatcher is there, or one that may be says nothing, or has been told to end.
    func presence(_ dispatchers: Dispatchers) -> [Obstacle] {
        let silent = dispatchers.silent.map { lease in
            let name = FleetHealth.name(lease)
            let report = ProcessReport(lease)
            let holds =
                report.held > 0
                ? " What is asked for may be in its hands: \(report.heldText)."
                : now - lease.seen < FleetHealth.heartbeats
                    ? " What is asked for may be in its hands, if it came after that." : ""
            let what = holds.isEmpty ? "What" : "Whatever else"
            let waits =
                dispatchers.present.isEmpty ? " \(what) is published waits in the broker until a dispatcher works." : ""
            return Obstacle(
                "\(name) has said nothing since \(TimeText.text(milliseconds: lease.seen)): it hangs, was killed, or cannot "
                    + "reach the store.\(holds)\(waits)",
                remedy: "\(name): \(FindingAdvice.silentDispatcher(lease))"
            )
        }
        // Who is silent may be there, and is to be looked at before another one is started.
        guard dispatchers.present.isEmpty, silent.isEmpty else { return silent + ending(dispatchers) }
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

    /// That a dispatcher which counts as up has missed its last word: for as long nobody can tell a killed one from a slow one.
    func late(_ dispatchers: Dispatchers) -> [Obstacle] {
        dispatchers.present.filter { now - $0.seen >= Self.lateness }.map { lease in
            let patience = Int64(Lease.patience / .milliseconds(1))
            return Obstacle(
                "\(FleetHealth.name(lease)) was last heard from at \(Self.time(lease.seen)), and should have been since: whether "
                    + "it is there shows by \(Self.time(lease.seen + patience))."
            )
        }
    }
}
