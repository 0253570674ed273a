import WaybillFleet
import WaybillMongo
import WaybillOperations
import WaybillSettings

/// Asks how the installation does: whether queues are consumed, whether the broker has alarms, whether lanes are parked, and
/// what else its processes say of themselves; judged as `waybill status` judges it.
///
/// Where nothing has run yet and nothing waits, that is no fault: a configuration is checked before the first start.
enum InstallationCheck {
    static func run(_ sections: ConfigurationSections) -> [Finding] {
        guard let broker = sections.broker, let store = sections.store,
            // A file that cannot be used has its finding already.
            let client = try? store.pool(for: "check").pop()
        else { return [] }
        let state = InstallationState(broker, client, database: store.database, sections.topology(broker))
        if case .failure(let error) = state.store, error.code == .accessRefused {
            let message = "what the processes say cannot be read: \(error)"
            return [Finding(.error, .permission, path: "store", message: message)]
        }
        // What does not answer has its findings already.
        guard case .success = state.broker, case .success = state.store else { return [] }
        guard state.isUnstarted else { return findings(state.health) }
        let message = "nothing runs yet"
        let advice = "Start waybill dispatch, prune, serve and hooks, or all of them with waybill run."
        return [Finding(.warning, path: "installation", message: message, advice: advice)]
            + (state.serversHealth.findings.isEmpty ? [] : findings(state.serversHealth))
    }

    /// What the broker alone tells, while the store does not answer: how much was rejected, whether anybody consumes.
    static func runWithoutStore(_ sections: ConfigurationSections) -> [Finding] {
        guard let broker = sections.broker,
            let health = InstallationState.brokerHealth(broker, sections.topology(broker)), !health.findings.isEmpty
        else { return [] }
        return findings(health)
    }

    private static func findings(_ health: FleetHealth) -> [Finding] {
        guard !health.findings.isEmpty else {
            return [Finding(.ok, path: "installation", message: "dispatchers run, and nothing needs a look")]
        }
        return health.findings.map { finding in
            let isDown = finding.grade == .down
            return Finding(
                isDown ? .error : .warning,
                isDown ? .unavailable : .degraded,
                path: "installation",
                message: finding.text,
                advice: finding.advice
            )
        }
    }
}
