import ArgumentParser
import Histogram
import WaybillEncoding
import WaybillSimulator
import WaybillThreads

/// An APNs that takes everything as fast as it can, and measures how long it was under way.
struct SinkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sink",
        abstract: "Answer every push at once, and time it from its publication to its arrival.",
        discussion: """
            Reads the time that load writes into payloads. SIGTERM or SIGINT ends it; it then prints one JSON object: \
            counts, connections, and percentiles of the latency in milliseconds.
            """
    )

    @Option(help: "The TCP port; 0 lets the system choose.")
    var port: UInt16 = 0

    @Option(help: ArgumentHelp("Write the port to this file once it listens.", valueName: "file"))
    var portFile: String?

    @Option(help: ArgumentHelp("The server certificate, PEM.", valueName: "file"))
    var certificate: String

    @Option(help: ArgumentHelp("The certificate's private key, PEM.", valueName: "file"))
    var privateKey: String

    @Option(help: "The concurrent streams of a connection.")
    var streams = 1000

    @Option(help: "The bytes that a client may send ahead on all streams of a connection.")
    var connectionWindow = 1 << 20

    @Option(help: "Device tokens that begin with this are answered with 410 and the present time.")
    var deadPrefix: String?

    @Option(help: "Leave so many requests at the beginning out of the times.")
    var skip = 0

    @Option(
        help: ArgumentHelp(
            "At the end, write a line for each request that was timed: when it was due and when it came, in nanoseconds.",
            valueName: "file"
        )
    )
    var arrivals: String?

    func validate() throws {
        guard streams > 0, skip >= 0 else { throw ValidationError("--streams and --skip take positive numbers.") }
        guard connectionWindow >= 65_535 else { throw ValidationError("--connection-window takes at least 65535.") }
    }

    func run() throws {
        let meter = SinkMeter(skip: skip, deadPrefix: deadPrefix, keepsArrivals: arrivals != nil)
        EndSignals.holdBack()
        let server: SimulatorServer
        do {
            server = try SimulatorServer(configuration: makeConfiguration(meter))
            let port = try server.start()
            if let portFile { try TextFile.write("\(port)\n", to: portFile, mode: 0o644) }
        } catch {
            StandardError.print("waybill-bench sink: \(error)")
            throw ExitCode(69)
        }
        EndSignals.waitForEnd()
        server.stop()
        let reading = meter.reading
        if let arrivals {
            let lines = reading.arrivals.map { "\($0.due) \($0.arrived)\n" }
            try TextFile.write(lines.joined(), to: arrivals, mode: 0o644)
        }
        print(Self.report(reading, server.statistics).text)
    }

    private func makeConfiguration(_ meter: SinkMeter) -> SimulatorConfiguration {
        var configuration = SimulatorConfiguration(
            certificateFile: certificate,
            privateKeyFile: privateKey,
            authentication: .none
        )
        configuration.port = port
        configuration.answersConstantly = true
        configuration.constantAnswer = { path, payload in meter.answer(path: path, payload: payload) }
        configuration.streamLimit = streams
        configuration.connectionWindow = connectionWindow
        configuration.keepsRequests = false
        return configuration
    }

    private static func report(_ reading: SinkMeter.Reading, _ statistics: SimulatorStatistics) -> JSONObject {
        var object = JSONObject()
        object.add("requests", reading.requests)
        object.add("dead", reading.dead)
        object.add("first_ns", Int(reading.firstNanoseconds))
        object.add("connections", statistics.connections.count)
        object.add("most_streams", statistics.connections.map(\.maxConcurrentStreams).max() ?? 0)
        object.add("late_rate", reading.lateRate)
        object.add("timed", Int(reading.latency.totalCount))
        for (name, percentile) in [
            ("p50_ms", 50.0), ("p90_ms", 90), ("p99_ms", 99), ("p999_ms", 99.9), ("max_ms", 100),
        ] {
            object.add(name, Double(reading.latency.valueAtPercentile(percentile)) / 1e6)
        }
        return object
    }
}
