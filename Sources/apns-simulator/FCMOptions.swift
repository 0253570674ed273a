import ArgumentParser
import WaybillSimulator

/// Whether the simulator plays FCM, and how.
struct FCMOptions: ParsableArguments {
    @Option(
        name: .customLong("service-account"),
        help: ArgumentHelp(
            """
            Play FCM and its token endpoint (/token) in place of APNs, for this service account's key file; repeatable. \
            'make-credentials' makes one. A rules file names FCM's targets by registration_prefix.
            """,
            valueName: "file"
        )
    )
    var serviceAccounts: [String] = []

    @Option(
        name: .customLong("fcm-errors"),
        help: "How errors are written: usual, reversed (FcmError last), bare (no details)."
    )
    var errors = FCMErrorForm.usual

    @Option(name: .customLong("fcm-token-lifetime"), help: "How long an access token holds (up to 1h).")
    var tokenLifetime = DurationArgument(duration: .seconds(3599))

    @Option(
        name: .customLong("fcm-expires-in"),
        help: "How the token endpoint says so: number, text (the number as a string), absent."
    )
    var lifetimeForm = FCMLifetimeForm.number

    @Option(name: .customLong("fcm-idle-timeout"), help: "How long a connection may have no stream before it is ended.")
    var idleTimeout = DurationArgument(duration: .seconds(240))

    @Option(name: .customLong("fcm-maximum-age"), help: "How long a connection may live.")
    var maximumAge = DurationArgument(duration: .seconds(3600))

    func validate() throws {
        guard (1...3600).contains(tokenLifetime.duration.components.seconds) else {
            throw ValidationError("--fcm-token-lifetime takes 1s to 1h.")
        }
        guard idleTimeout.duration > .zero, maximumAge.duration > .zero else {
            throw ValidationError("--fcm-idle-timeout and --fcm-maximum-age must be longer than nothing.")
        }
    }

    /// What to be; `nil` is APNs.
    func simulation() throws(SimulatorError) -> FCMSimulation? {
        guard !serviceAccounts.isEmpty else { return nil }
        var accounts: [FCMAccount] = []
        for file in serviceAccounts { accounts.append(try FCMAccount(keyFile: file)) }
        var simulation = FCMSimulation(accounts: accounts)
        simulation.errorForm = errors
        simulation.tokenLifetime = Int(tokenLifetime.duration.components.seconds)
        simulation.lifetimeForm = lifetimeForm
        simulation.idleTimeout = idleTimeout.duration
        simulation.maximumAge = maximumAge.duration
        return simulation
    }
}

extension FCMErrorForm: ExpressibleByArgument {}

extension FCMLifetimeForm: ExpressibleByArgument {}
