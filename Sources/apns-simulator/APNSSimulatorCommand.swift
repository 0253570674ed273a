import ArgumentParser

/// The program: a simulated APNs for tests, demonstrations and benchmarks.
@main
struct APNSSimulatorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apns-simulator",
        abstract: "A strict, independent simulation of Apple's push service, and of Google's.",
        discussion: """
            Examples:
              apns-simulator make-credentials credentials
              apns-simulator --port 8443 --certificate credentials/server.pem \\
                --private-key credentials/server-key.pem \\
                --key-id ABC123DEFG --team-id ABCDE12345 \\
                --public-key credentials/AuthKey_ABC123DEFG.pub.pem
              apns-simulator --port 8444 --certificate credentials/server.pem \\
                --private-key credentials/server-key.pem --service-account credentials/service-account.json

            Without a subcommand it serves. The options most in use; 'apns-simulator serve --help' has all of them:

              --port <port>            where to listen; 0 lets the system choose
              --certificate <file>     the server certificate, PEM
              --private-key <file>     its private key, PEM
              --key-id <id>            a provider key's id
              --team-id <id>           the team of the key
              --public-key <file>      the key's public half, PEM
              --service-account <file> play FCM in place of APNs, for this key file
              --rules <file>           answers, delays and faults by rule
              --seed <number>          what random choices begin with
              --record <file>          write what was received as NDJSON
            """,
        subcommands: [ServeCommand.self, MakeCredentialsCommand.self],
        defaultSubcommand: ServeCommand.self
    )
}
