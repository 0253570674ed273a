import WaybillFleet
import WaybillMongo
import WaybillOperations
import WaybillSettings

/// Asks how the installation does: whether queues are consumed, whether the broker has alarms, whether lanes are parked, and
/// what else its processes say of themselves.
///
/// Warnings only: a configuration can be sound while nothing runs yet.
enum InstallationCheck {
    static func run(_ sections: ConfigurationSections) -> [Finding] {
        guard let broker = sections.broker, let store = sections.store,
            // A file that cannot be used has its finding already.
            let client = try? store.pool(for: "check").pop()
        else { return [] }
        let state = InstallationState(broker, client, database: store.database, sections.topology(broker))
        if case .failure(let error) = state.store, error.code == .accessRefused {
            return [Finding(.warning, path: "store", message: "what the processes say cannot be read: \(error)")]
        }
        // What does not answer has its findings already.
        guard case .success = state.broker, case .success = state.store else { return [] }
        let findings = state.health.findings.map { finding in
            Finding(.warning, path: "installation", message: finding.text, advice: finding.advice)
        }
        return findings.isEmpty
            ? [Finding(.ok, path: "installation", message: "dispatchers run, and nothing needs a look")] : findings
    }
}
