import ArgumentParser
import Foundation

/// `waybill-bench micro`: every step of the data plane by itself.
struct MicroCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "micro",
        abstract: "Measures single steps: nanoseconds and allocations for each notification.",
        discussion: """
            CPU time, allocations and bytes are those of the one thread that does the step. Each case works on 5,000
            notifications with tokens and ids of their own and payloads of 200 bytes, in messages of 100.
            """
    )

    @OptionGroup var options: MicroOptions

    func run() throws {
        let cases = try selected()
        if options.list {
            for one in cases { print(one.name.padding(toLength: 22, withPad: " ", startingAt: 0), one.summary) }
            return
        }
        if !options.json { print(MicroReport.heading) }
        var reports: [MicroReport] = []
        for one in cases {
            let report = try measure(one)
            reports.append(report)
            if !options.json { print(report.line) }
        }
        if options.json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            print(String(decoding: try encoder.encode(reports), as: UTF8.self))
        }
    }

    private func selected() throws -> [MicroCase] {
        let known = MicroCases.all(options).filter { !options.exact || $0.kind == .exact }
        guard !options.cases.isEmpty else { return known }
        return try options.cases.map { name in
            guard let one = known.first(where: { $0.name == name }) else {
                throw ValidationError("there is no case \(name), or it needs --store or --broker; --list shows them")
            }
            return one
        }
    }

    private func measure(_ one: MicroCase) throws -> MicroReport {
        let loop = try one.prepare(options)
        if let count = options.count {
            let rounds = max(1, count / loop.notifications)
            return MicroReport(one, try MicroMeter.count(loop, rounds: rounds))
        }
        let meter = MicroMeter(seconds: options.seconds, repetitions: options.repetitions)
        return MicroReport(one, try meter.measure(loop))
    }
}
