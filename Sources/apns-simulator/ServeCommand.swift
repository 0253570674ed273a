import ArgumentParser
import WaybillSimulator
import WaybillThreads

/// Serves until SIGTERM or SIGINT, then says what it has seen.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Listen for pushes and answer them as APNs does, or FCM (the default).",
        discussion: """
            Examples:
              apns-simulator --port 8443 --certificate server.pem --private-key server-key.pem --key-id ABC123DEFG \\
                --team-id ABCDE12345 --public-key AuthKey_ABC123DEFG.pub.pem --record pushes.ndjson
              apns-simulator --port 8443 --certificate server.pem --private-key server-key.pem \\
                --any-provider-token --rules rules.json --seed 1
              apns-simulator --port 8444 --certificate server.pem --private-key server-key.pem \\
                --service-account service-account.json

            Give --key-id, --team-id and --public-key once for each provider key. Statistics are printed on standard \
            error when SIGTERM or SIGINT ends the program. Times are written as 250ms, 10s or 20m.
            """
    )

    @OptionGroup(title: "Endpoint") var endpoint: EndpointOptions
    @OptionGroup(title: "Provider tokens") var tokens: TokenOptions
    @OptionGroup(title: "FCM") var fcm: FCMOptions
    @OptionGroup(title: "Behaviour") var behaviour: BehaviourOptions
    @OptionGroup(title: "Record") var record: RecordOptions

    func validate() throws {
        if behaviour.constant, record.record != nil {
            throw ValidationError("--constant records nothing: leave out --record.")
        }
    }

    func run() throws {
        let configuration: SimulatorConfiguration
        do {
            configuration = try makeConfiguration()
        } catch {
            StandardError.print("apns-simulator: \(error)")
            throw ExitStatus.badInput
        }
        EndSignals.holdBack()
        let server: SimulatorServer
        do {
            server = try SimulatorServer(configuration: configuration)
            let port = try server.start()
            if let file = record.portFile { try TextFile.write("\(port)\n", to: file, mode: 0o644) }
            StandardError.print("apns-simulator: listening on \(endpoint.listen) port \(port)")
        } catch {
            StandardError.print("apns-simulator: \(error)")
            throw ExitStatus.unavailable
        }
        EndSignals.waitForEnd()
        server.stop()
        let statistics = server.statistics
        StandardError.print("apns-simulator: \(statistics)")
        if let failure = statistics.recordFailure {
            StandardError.print("apns-simulator: the record is incomplete: \(failure)")
            throw ExitStatus.recordFailed
        }
    }

    private func makeConfiguration() throws(SimulatorError) -> SimulatorConfiguration {
        var configuration = SimulatorConfiguration(
            certificateFile: endpoint.certificate,
            privateKeyFile: endpoint.privateKey,
            authentication: behaviour.constant || !fcm.serviceAccounts.isEmpty
                ? .none : try tokens.authentication(needsKey: !endpoint.requireClientCertificate)
        )
        endpoint.apply(to: &configuration)
        configuration.tokenPolicy = tokens.policy
        configuration.fcm = try fcm.simulation()
        configuration.validation = ValidationPolicy(
            topics: behaviour.topics,
            minimumTokenDigits: behaviour.minimumTokenDigits
        )
        configuration.answersConstantly = behaviour.constant
        if behaviour.constant, !fcm.serviceAccounts.isEmpty {
            let constant = FCMConstantAnswers()
            configuration.constantAnswer = { path, _ in constant.answer(path: path) }
            // No window of this side is to be what is measured.
            configuration.connectionWindow = 1 << 24
        }
        configuration.initialStreamLimit = behaviour.initialStreams
        configuration.streamLimit = behaviour.streams
        configuration.streamLimitFallsAfterRefusal = behaviour.streamsFallAfterRefusal
        configuration.latency = behaviour.latency.duration
        configuration.isSandbox = behaviour.sandbox
        configuration.recordFile = record.record
        configuration.keepsRequests = false
        configuration.seed = behaviour.seed
        if let path = behaviour.rules { try RulesFile.read(path).apply(to: &configuration) }
        return configuration
    }
}
