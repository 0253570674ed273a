import ArgumentParser

/// The program: a simulated APNs for tests, demonstrations and benchmarks.
@main
struct APNSSimulatorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apns-simulator",
        abstract: "A strict, independent simulation of Apple's push service.",
        subcommands: [ServeCommand.self, MakeCredentialsCommand.self],
        defaultSubcommand: ServeCommand.self
    )
}
