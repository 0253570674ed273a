import ArgumentParser

/// The command `waybill-bench`: what the benchmark scripts measure with.
@main
struct WaybillBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "waybill-bench",
        abstract: "Measures Waybill: single steps, loads and sinks for scripts/benchmark.sh and scripts/counts.sh.",
        subcommands: [
            MicroCommand.self, LoadCommand.self, SinkCommand.self, ClientCommand.self, DepthCommand.self,
        ]
    )
}
