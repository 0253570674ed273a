import WaybillFleet

/// What of a batch waits for processes that do not run, as `status` says it.
struct UnservedBatch {
    /// How many of its notifications are to be sent again until somebody acknowledges them.
    let repeated: Int
    /// Fuses with events of it that a person has released, and nobody has carried out.
    let released: [FuseOverview]
    /// Audience messages that nobody has entered yet, where it may be one of them.
    let audiences: Int
    /// How many documents in the store it is that have not ended.
    var notifications = 0
    /// The roles of which a process is up; `nil` where nobody knows.
    let running: Set<String>?
    /// Milliseconds since 1970.
    let now: Int64

    /// Whether nobody runs who would send again.
    var keepsRepeats: Bool { repeats != nil }

    private var repeats: FleetHealth.Finding? {
        running.flatMap { UnservedWork.repeats(repeated).finding(running: $0) }
    }

    private var posted: FleetHealth.Finding? {
        running.flatMap { UnservedWork.ofBatch(notifications).finding(running: $0) }
    }

    private var expansion: FleetHealth.Finding? {
        running.flatMap { UnservedWork.audiences(audiences).finding(running: $0) }
    }

    private var releases: [FleetHealth.Finding] {
        guard let running, !running.contains("prune") else { return [] }
        return released.map { FuseText.release($0, now: now) }
    }

    /// What is told of it.
    ///
    /// - Parameter reader: who is told; what waits for others is no client's business.
    /// - Returns: one for each process, or fuse; empty where nothing waits.
    func obstacles(_ reader: StoryReader) -> [Obstacle] {
        guard reader.isOperator else {
            let what = [
                repeats == nil ? nil : "Nobody sends again at this moment what is not acknowledged.",
                posted == nil ? nil : "Nobody looks after notifications in the store at this moment: it waits.",
                releases.isEmpty ? nil : "Nobody prunes dead tokens at this moment.",
                expansion == nil ? nil : "Nobody hands over audiences at this moment: if it is one, it waits.",
            ]
            return what.compactMap(\.self).map {
                Obstacle($0, remedy: "Ask the operator what is wrong; nothing is lost meanwhile.")
            }
        }
        return ([repeats, posted, expansion].compactMap(\.self) + releases).map { finding in
            let doubt = finding.kind == .noFanout ? "; if it is an audience, it may be among them" : ""
            return Obstacle(
                "\(finding.text.prefix(1).uppercased())\(finding.text.dropFirst())\(doubt).",
                remedy: finding.advice
            )
        }
    }
}
