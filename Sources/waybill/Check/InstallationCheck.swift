import WaybillFleet
import WaybillMongo
import WaybillOperations
import WaybillSettings

/// Asks how the installation does: whether queues are consumed, whether the broker has alarms, whether lanes are parked, and
/// what else its processes say of themselves; judged as `waybill status` judges it.
///
/// Where nothing has run yet and nothing waits, that is no fault: a configuration is checked before the first start.
enum InstallationCheck {
    /// Asks.
    ///
    /// - Parameters:
    ///   - sections: what to reach.
    ///   - silent: what does not answer: it has its findings already, and is not waited for again.
    ///   - role: of whom it is asked; missing queues have a finding of the broker's already, but for `status`.
    /// - Returns: the same findings as those of `waybill status`, but for these.
    static func run(_ sections: ConfigurationSections, silent: Set<InstallationState.Server>, role: ConfigurationRole)
        -> [Finding]
    {
        guard let broker = sections.broker, let store = sections.store,
            // A file that cannot be used has its finding already.
            let client = try? store.pool(for: "check").pop()
        else { return [] }
        let state = InstallationState(
            broker,
            client,
            database: store.database,
            sections.topology(broker),
            silent: silent
        )
        let health = FleetHealth(
            state.failures.filter { $0.kind == .queuesMissing } + state.healthBesideFailures.findings
        )
        let others = findings(role == .status ? health : health.without(.queuesMissing))
        if case .failure(let error) = state.store, error.code == .accessRefused {
            let message = "what the processes say cannot be read: \(error)"
            return [Finding(.error, .permission, path: "store", message: message)] + others
        }
        guard case .success = state.broker, case .success = state.store else { return others }
        guard !others.isEmpty else {
            return [Finding(.ok, path: "installation", message: "dispatchers run, and nothing needs a look")]
        }
        guard state.isUnstarted else { return others }
        let message = "nothing runs yet"
        let advice = firstStart(
            serves: sections.serve != nil,
            hasHooks: sections.mail != nil || sections.webhooks != nil
        )
        return [Finding(.warning, path: "installation", message: message, advice: advice)]
            + findings(state.serversHealth)
    }

    /// What to start, as far as the configuration has work for it.
    ///
    /// - Parameters:
    ///   - serves: whether it has `serve`.
    ///   - hasHooks: whether it has `mail` or `webhooks`.
    /// - Returns: a sentence.
    static func firstStart(serves: Bool, hasHooks: Bool) -> String {
        let roles =
            ["dispatch", "prune", "fanout", "schedule"] + (serves ? ["serve"] : []) + (hasHooks ? ["hooks"] : [])
        let names = "\(roles.dropLast().joined(separator: ", ")) and \(roles[roles.count - 1])"
        return "Start waybill \(names), or all of them with waybill run."
    }

    private static func findings(_ health: FleetHealth) -> [Finding] {
        health.findings.map { finding in
            let isDown = finding.grade == .down
            return Finding(
                isDown ? .error : .warning,
                isDown ? .unavailable : .degraded,
                path: "installation",
                message: finding.text,
                advice: finding.advice,
                subject: finding.subject?.rawValue
            )
        }
    }
}
