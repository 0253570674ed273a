import WaybillDeviceRegistry
import WaybillFleet
package import WaybillMongo
package import WaybillOutbox

extension InstallationState {
    /// What the store holds, and how it does.
    package struct Store {
        package var deployment: MongoDeployment
        /// Records in the log, about.
        package var records: Int
        /// When the next record expires, in milliseconds since 1970; `nil` when none does.
        package var nextExpiry: Int64?
        /// How far the majority of a replica set is behind its primary, in whole seconds; `nil` where there is none.
        package var lag: Duration?
        /// Mails that somebody should have sent a while ago.
        package var overdueMails: Int
        /// Critical notifications that wait to be sent again; none where somebody runs who does that.
        package var waitingRepeats: WaitingRepeats
        /// Notifications in the store that are under way or new; none where somebody runs who looks after them.
        package var waitingNotifications: Int
        package var webhooks: WebhookTroubles
        /// The fuses of prune, with what they hold.
        package var fuses: FuseSurvey

        package init(
            deployment: MongoDeployment,
            records: Int,
            nextExpiry: Int64?,
            lag: Duration? = nil,
            overdueMails: Int = 0,
            waitingRepeats: WaitingRepeats = WaitingRepeats(0),
            waitingNotifications: Int = 0,
            webhooks: WebhookTroubles = WebhookTroubles(),
            fuses: FuseSurvey = FuseSurvey()
        ) {
            self.deployment = deployment
            self.lag = lag
            self.overdueMails = overdueMails
            self.waitingRepeats = waitingRepeats
            self.waitingNotifications = waitingNotifications
            self.webhooks = webhooks
            self.fuses = fuses
            self.records = records
            self.nextExpiry = nextExpiry
        }
    }
}

extension InstallationState.Store {
    /// A majority that is further behind keeps records from becoming durable.
    private static let longestLag = Duration.seconds(10)
    /// Longer than hooks takes to come round.
    static let longestMailWait = Duration.seconds(60)
    /// The server removes expired records every minute; milliseconds.
    private static let longestLateness: Int64 = 3_600_000

    /// What it tells.
    ///
    /// - Parameters:
    ///   - running: the roles of which a process is up.
    ///   - now: milliseconds since 1970.
    /// - Returns: what is told of it.
    func findings(running: Set<String>, now: Int64) -> [FleetHealth.Finding] {
        let releases = running.contains("prune") ? [] : releaseFindings(now: now)
        return deploymentFindings(now: now) + senderFindings(running) + fuseFindings + releases
            + webhooks.findings(areSent: running.contains("hooks"))
    }

    private func deploymentFindings(now: Int64) -> [FleetHealth.Finding] {
        var findings: [FleetHealth.Finding] = []
        if case .replicaSet(let name, _, hasPrimary: false) = deployment {
            let text = "the replica set \(name) has no primary"
            findings.append(
                FleetHealth.Finding(.storeNoPrimary, .down, text, advice: StateAdvice.noPrimary, subject: .store)
            )
        }
        if let lag, lag >= Self.longestLag {
            let text = "the majority of the store is \(lag.components.seconds) s behind its primary"
            findings.append(FleetHealth.Finding(.storeLag, .degraded, text, advice: StateAdvice.lag))
        }
        if let nextExpiry, now - nextExpiry > Self.longestLateness {
            let text = "the oldest record should have gone \(FleetHealth.age(nextExpiry, now)) ago"
            findings.append(FleetHealth.Finding(.recordsOverdue, .degraded, text, advice: StateAdvice.overdue))
        }
        return findings
    }

    /// That nobody runs who would send what waits.
    private func senderFindings(_ running: Set<String>) -> [FleetHealth.Finding] {
        [
            UnservedWork(
                kind: .noHooks,
                role: "hooks",
                what: "mails wait",
                count: overdueMails,
                advice: StateAdvice.noHooks
            ),
            .repeats(waitingRepeats.count, isAtMost: waitingRepeats.isAtMost),
            .notifications(waitingNotifications),
        ].compactMap { $0.finding(running: running) }
    }

    private var fuseFindings: [FleetHealth.Finding] {
        let unreadable = FuseText.unreadable(fuses.unreadable).map {
            FleetHealth.Finding(.fuseUnreadable, .degraded, $0, advice: FuseText.unreadableAdvice)
        }
        return [unreadable].compactMap(\.self)
            + fuses.fuses.filter(\.fuse.isBlown).map {
                FleetHealth.Finding(
                    .fuseBlown,
                    .degraded,
                    FuseText.finding($0),
                    advice: FuseText.advice($0.fuse.name),
                    lane: $0.fuse.name.lane
                )
            }
    }

    /// That nobody runs who would carry out what a person has released.
    private func releaseFindings(now: Int64) -> [FleetHealth.Finding] {
        fuses.fuses.filter(\.waitsForPrune).map { FuseText.release($0, now: now) }
    }
}

extension WebhookTroubles {
    /// - Parameter areSent: whether a process is up that sends them.
    /// - Returns: what to tell of them.
    fileprivate func findings(areSent: Bool) -> [FleetHealth.Finding] {
        var findings: [FleetHealth.Finding] = []
        if late > 0 {
            let text = areSent ? "webhooks are late" : "no waybill hooks runs; webhooks wait"
            let advice = areSent ? StateAdvice.lateWebhooks : StateAdvice.noWebhooks
            let kind: FindingKind = areSent ? .webhooksLate : .noHooks
            findings.append(FleetHealth.Finding(kind, .degraded, "\(text): \(late)", advice: advice))
        }
        if !givenUp.isEmpty {
            let shown = givenUp.prefix(3).joined(separator: ", ") + (givenUp.count > 3 ? ", …" : "")
            let text = "webhook endpoints that take nothing any more: \(givenUp.count) (\(shown))"
            findings.append(
                FleetHealth.Finding(.webhookEndpointsGivenUp, .degraded, text, advice: StateAdvice.givenUpEndpoints)
            )
        }
        return findings
    }
}
