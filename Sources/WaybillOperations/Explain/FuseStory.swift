package import WaybillDeliveryLog
package import WaybillDeviceRegistry
package import WaybillMongo

/// What the fuses of prune have done with the events of records, in the words in which ``DeliveryInvestigation`` tells it.
package struct FuseStory {
    private let findings: FuseFindings
    private let storms: TokenStorms

    /// Asks the store: for the fuses where a record has an event, for the events only where a fuse has ever blown, and for
    /// storms where a token was called dead.
    ///
    /// *Thread:* the client's. *Blocking:* up to the limits of both questions, of the second for each hundred events.
    ///
    /// - Parameters:
    ///   - records: any.
    ///   - client: the store.
    ///   - options: where it is, and how the log holds tokens.
    /// - Throws: what the store cannot be read for.
    package init(of records: [LoggedDelivery], client: MongoClient, options: DeliveryLogOptions) throws(MongoError) {
        findings = try FuseFindings(of: records.filter { $0.verdict != nil }, client: client, options: options)
        storms = TokenStorms(of: records, client: client, database: options.database)
    }

    /// - Parameters:
    ///   - fuses: those that have ever blown.
    ///   - standings: where events stand that prune has put down.
    package init(_ fuses: [Fuse], _ standings: [TokenEvents.Standing] = []) {
        findings = FuseFindings(fuses, standings)
        storms = TokenStorms()
    }

    /// What a fuse has done with the event of a record, or will do; `nil` where none has doubted it.
    package func step(of record: LoggedDelivery) -> StoryStep? {
        fate(of: record).map { StoryAdvice.step(of: $0, record, .operators) }
    }

    /// Whether nobody may take the token of a record for dead, whatever the push service has said.
    package func isDoubtful(_ record: LoggedDelivery) -> Bool {
        fate(of: record)?.isDoubt ?? (storms.doubt(of: record) != nil)
    }

    private func fate(of record: LoggedDelivery) -> FuseFate? {
        record.verdict.flatMap { _ in findings.fate(of: record) }
    }
}
