import WaybillCore
import WaybillMongo

extension LaneWait {
    /// Reads an entry; `nil` for one that is not ours, or of a newer release.
    init?(_ document: BSONDocument) {
        guard let reason = document["\(Field.reason)"]?.string.flatMap(Reason.init(rawValue:)),
            let from = document["\(Field.from)"]?.date
        else { return nil }
        self.init(
            reason,
            from: from,
            until: document["\(Field.until)"]?.date,
            times: document["\(Field.times)"]?.amount ?? 1
        )
    }
}

extension [LaneWait] {
    /// These, none of which lasts beyond a moment.
    func ended(at end: Int64) -> [LaneWait] {
        map { wait in
            var wait = wait
            wait.until = Swift.min(wait.until ?? end, end)
            return wait
        }
    }
}
