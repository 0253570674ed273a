import ArgumentParser
import WaybillSettings

/// `waybill serve`: the HTTP API.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Offer what became of pushes, and the installation's state, over HTTP.",
        discussion: """
            Examples:
              waybill serve --config waybill.yaml
              waybill serve --set serve.listen=127.0.0.1:8080 &
              curl -H "Authorization: Bearer $KEY" http://127.0.0.1:8080/v1/status

            Listens at serve.listen until SIGTERM or SIGINT. Whoever asks shows a key (waybill keys). Beyond this machine it \
            needs a certificate, which is read again when it changes, or a proxy in front. For other settings start it again. \
            Where it cannot listen at the start, it ends.
            """
                + ExitStatus.help(
                    ExitStatus.ofServices,
                    own: [.unavailable: "something cannot be reached or the address cannot be listened at"]
                )
    )

    @OptionGroup var settings: ConfigurationOptions
    @OptionGroup(title: "Logging") var logging: LoggingOptions

    func run() async throws {
        let sections = try settings.load(for: .serve)
        try await reportingFailures(of: "serve") {
            try await RoleWork.run([ServeRole(logging: logging).prepare(sections)])
        }
    }
}
