import WaybillEncoding
import WaybillFleet

/// Which dispatchers are there, and what they lack.
extension SendingNow {
    struct Dispatchers {
        var present: [Lease] = []
        /// Since when what they lack is away, by whatever process noticed it first.
        var outages = Outages([])
        /// Silent for too long, and not replaced.
        var silent: [Lease] = []
        /// The one that was heard of last.
        var last: Lease?
    }

    /// `nil` where they cannot be read.
    var dispatchers: Dispatchers? {
        guard let leases = try? leases.get() else { return nil }
        let all = leases.filter { $0.role == "dispatch" }
        return Dispatchers(
            present: all.filter { FleetHealth.isPresent($0, now: now) },
            outages: Outages(leases.filter { FleetHealth.isPresent($0, now: now) }.map { ProcessReport($0) }),
            silent: all.filter {
                !FleetHealth.isPresent($0, now: now) && !FleetHealth.isPast($0, among: all, queues: queues, now: now)
            },
            last: all.max { $0.seen < $1.seen }
        )
    }

    func lacks(_ dispatchers: Dispatchers) -> [Obstacle] {
        dispatchers.present.flatMap { lease in
            ProcessLack.all(of: ProcessReport(lease), dispatchers.outages).map { lack in
                let begin = dispatchers.outages.begin(of: lack)
                let since = begin.map { " since \(TimeText.text(milliseconds: $0))" } ?? ""
                return Obstacle(
                    "\(FleetHealth.name(lease)) \(lack.words)\(since): \(lack.cause).",
                    remedy: lack.advice,
                    subject: lack.subject
                )
            }
        }
    }

    /// Of what goes wrong though nothing is missing, that which keeps from being sent: dead tokens do not.
    func troubles(_ dispatchers: Dispatchers) -> [Obstacle] {
        dispatchers.present.flatMap { lease in
            let (name, report) = (FleetHealth.name(lease), ProcessReport(lease))
            // What a lane, the store or the broker keeps is told with these, and with the lane's own notifications only.
            let told = report.toldTroubles
            let ofLanes = told.filter(\.stopsLane)
            let unexplained = told.filter(\.isStandstill)
            return ofLanes.map { trouble in
                let since = trouble.since.map { " (since \($0))" } ?? ""
                return Obstacle("\(name): \(trouble.text)\(since).", remedy: trouble.advice, lane: trouble.lane)
            }
                + unexplained.map { trouble in
                    Obstacle(
                        "\(name) \(trouble.text).",
                        remedy:
                            "Look at the log of \(name), and restart it if it finishes nothing for two minutes: what it holds "
                            + "is delivered again."
                    )
                }
        }
    }

    /// Whether a dispatcher is silent that nobody has replaced, and may be there.
    var hasSilentDispatcher: Bool { dispatchers?.silent.isEmpty == false }

    /// What the dispatchers that are up say of themselves; `nil` where it cannot be read.
    var dispatcherReports: [ProcessReport]? { dispatchers.map { $0.present.map { ProcessReport($0) } } }

    /// The lanes that stand still though no breaker is open.
    var silentLanes: Set<String> { Set(dispatchers.map { troubles($0).compactMap(\.lane) } ?? []) }
}
