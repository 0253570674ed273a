import ArgumentParser

/// What the caller of `waybill-bench micro` may choose.
struct MicroOptions: ParsableArguments {
    @Option(name: .customLong("case"), parsing: .upToNextOption, help: "Only these cases.")
    var cases: [String] = []

    @Option(help: "Seconds for each repetition of a case.")
    var seconds = 0.3

    @Option(name: .customLong("repeat"), help: "Repetitions of each case; the median is reported.")
    var repetitions = 7

    @Option(
        help: ArgumentHelp(
            "Handle exactly this many notifications after the warm-up, once: for counting instructions.",
            valueName: "notifications"
        )
    )
    var count: Int?

    @Option(help: "The URL of a MongoDB that may be written to: adds the cases that need one.")
    var store: String?

    @Option(help: "The URL of a RabbitMQ that may be written to: adds the cases that need one.")
    var broker: String?

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "List the cases.")
    var list = false

    @Flag(help: "Only cases of which instructions and allocations are the same at every run.")
    var exact = false

    func validate() throws {
        guard seconds > 0, seconds <= 60 else { throw ValidationError("--seconds must be above 0 and at most 60") }
        guard (1...1000).contains(repetitions) else { throw ValidationError("--repeat must be 1 to 1000") }
        if let count, count < 1 || !count.isMultiple(of: 1000) {
            throw ValidationError("--count must be a multiple of 1,000")
        }
    }
}
