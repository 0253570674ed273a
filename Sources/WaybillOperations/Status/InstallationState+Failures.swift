import WaybillAMQP
package import WaybillFleet
import WaybillMongo

extension InstallationState {
    /// Whether broker or store refuse the user who asks: then little is known of the installation.
    package var isRefused: Bool { brokerRefuses || storeRefuses }

    package var brokerRefuses: Bool {
        if case .failure(let error) = broker { error.code == .accessRefused } else { false }
    }

    /// Whether the broker has answered, and only that a queue is not there.
    package var queuesAreMissing: Bool {
        if case .failure(let error) = broker { error.code == .notFound } else { false }
    }

    package var storeRefuses: Bool {
        if case .failure(let error) = store { error.code == .accessRefused } else { false }
    }

    /// That a server does not answer, which explains what the processes lack.
    package var failures: [FleetHealth.Finding] { [brokerFailure, storeFailure].compactMap(\.self) }

    private var brokerFailure: FleetHealth.Finding? {
        guard case .failure(let error) = broker else { return nil }
        if queuesAreMissing {
            return FleetHealth.Finding(
                .queuesMissing,
                .down,
                "queues are missing: \(error.text)",
                advice: FindingAdvice.queues,
                subject: .queues
            )
        }
        let refuses = error.code == .accessRefused
        return FleetHealth.Finding(
            refuses ? .brokerRefuses : .brokerUnanswered,
            .down,
            "the broker \(refuses ? "refuses this user" : "does not answer"): \(error)",
            advice: refuses ? StateAdvice.brokerRights : StateAdvice.broker,
            subject: .broker
        )
    }

    private var storeFailure: FleetHealth.Finding? {
        guard case .failure(let error) = store else { return nil }
        let refuses = error.code == .accessRefused
        return FleetHealth.Finding(
            refuses ? .storeRefuses : .storeUnanswered,
            .down,
            "the store \(refuses ? "refuses this user \(error.inBrackets)" : "does not answer: \(error.plain)")",
            advice: refuses ? StateAdvice.storeRights : StateAdvice.store,
            subject: .store
        )
    }
}
