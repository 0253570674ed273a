import WaybillAccounts
import WaybillDeliveryLog
import WaybillMongo
import WaybillSettings
import WaybillTelemetry
import WaybillThreads

/// What the server looks after while it listens.
extension APIServer {
    private static let storeInterval = Duration.seconds(5)
    /// How long the store may take to show that it is there: with the interval, one that hangs is told of within ten seconds.
    private static let storePatience = Duration.seconds(5)
    private static let sweepInterval = Duration.seconds(10)
    private static let certificateTurns = 6
    private static let keyTurns = 12

    /// Asks the store for a sign of life, and looks whether the certificate has changed.
    func watch() async {
        var turn = 0
        while !Task.isCancelled {
            let database = backend.log.database
            let deadline = MonotonicTime.now().advanced(by: Self.storePatience)
            do throws(Problem) {
                try await ownStore.ask(until: deadline) { client throws(MongoError) in
                    try client.ping(database: database)
                }
                storeAnswers.holds()
            } catch {
                storeAnswers.fails(error.cause ?? error.detail)
            }
            if turn.isMultiple(of: Self.keyTurns) { await countKeys() }
            turn += 1
            if turn.isMultiple(of: Self.certificateTurns) { reloadCertificate() }
            try? await Task.sleep(for: Self.storeInterval)
        }
    }

    /// What was counted last stands while the store does not say.
    private func countKeys() async {
        let database = backend.log.database
        let deadline = MonotonicTime.now().advanced(by: APILimits.handlingTime)
        let tally = try? await ownStore.ask(until: deadline) { client throws(MongoError) in
            KeyTally(try KeyReader(client: client, database: database).keys(), now: WallClock.milliseconds())
        }
        if let tally { keys.withLock { $0 = tally } }
    }

    /// Lets those who look at a tail look at the time.
    func tick() async {
        while !Task.isCancelled {
            feed.tick()
            events?.tick()
            try? await Task.sleep(for: .seconds(1))
        }
    }

    /// Hands over what was stored and not handed over in time, by this process or by one that has ended, tells people of keys
    /// that end, of webhooks that are disabled and of changes that nobody has told of, and ends deletions that nobody has ended.
    func sweep() async {
        while door != nil, !Task.isCancelled {
            await sender?.sweep()
            await door?.tellOfKeyEnds()
            await door?.tellOfDisabledWebhooks()
            await door?.finishDeletions()
            await door?.tellOfMemberships()
            try? await Task.sleep(for: Self.sweepInterval)
        }
    }

    private func reloadCertificate() {
        guard let certificate else { return }
        do {
            if try certificate.reload() { logger.emit(APIEvent.certificateReloaded) }
        } catch {
            let reason = (error as? OwnerOnlyFile.Problem)?.reason ?? "\(error)"
            logger.emit(APIEvent.certificateRefused(reason: reason))
        }
    }
}
