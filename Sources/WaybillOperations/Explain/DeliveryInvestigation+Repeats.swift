import WaybillCore
import WaybillDeliveryLog
import WaybillFleet
import WaybillReceipts

extension DeliveryInvestigation {
    /// How many families that have not ended are looked at.
    private static let mostFamilies = 1000

    /// How many notifications of a batch are still to be sent again until somebody acknowledges them.
    ///
    /// Families do not say their batch; the record of the first one does.
    ///
    /// - Parameters:
    ///   - story: the batch's.
    ///   - cancellations: of it.
    /// - Returns: 0 also where it cannot be read: the rest is worth having alone.
    func countRepeated(in story: BatchStory, _ cancellations: [Cancellation]) -> Int {
        guard !story.groups.isEmpty, let families = try? familyReader.underWay(limit: Self.mostFamilies),
            let found = try? reader.records(of: families.map(\.first), time: DeliveryPage.longestTime)
        else { return 0 }
        let batch = BatchName(story.name)
        let records = found.filter { $0.batchID.map(batch.includes) ?? false }
        let ids = Set(records.compactMap(\.sentID))
        let own = families.filter { ids.contains($0.first) }.map { ($0.first, $0) }
        guard !own.isEmpty,
            var findings = try? FamilyFindings(
                Dictionary(own, uniquingKeysWith: { first, _ in first }),
                saidOfDevices,
                reader
            )
        else { return 0 }
        findings.cancellations = cancellations
        return Set(records.filter(findings.isUnderWay).compactMap(\.sentID)).count
    }
}
