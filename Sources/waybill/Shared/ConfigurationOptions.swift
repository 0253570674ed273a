import ArgumentParser
import Foundation
import Settings

/// Where a command's settings come from; every command takes these.
struct ConfigurationOptions: ParsableArguments {
    private static let systemFile = "/etc/waybill/waybill.yaml"

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The configuration file. Without it: WAYBILL_CONFIG, else \(systemFile).",
            valueName: "file"
        )
    )
    var config: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Replace a setting, for example --set store.database=test. Can be repeated.",
            valueName: "setting=value"
        )
    )
    var settings: [String] = []

    func validate() throws {
        for setting in settings where Self.parts(setting) == nil {
            throw ValidationError(
                "The value '\(setting)' is invalid for '--set': write it as broker.queue_prefix=test."
            )
        }
    }

    /// The options as words of a command line, for a command that is to be run again.
    ///
    /// What may be a password is left out: such a line may end in a log.
    var arguments: [String] {
        let shown = settings.map { setting in
            guard let (path, value) = Self.parts(setting) else { return setting }
            return path.hasSuffix("password") || value.contains("@") ? "\(path)=…" : setting
        }
        return (config.map { ["--config", $0] } ?? []) + shown.flatMap { ["--set", $0] }
    }

    /// The configuration.
    ///
    /// What is wrong with it goes to standard error, one line per finding.
    ///
    /// - Throws: `ExitCode` 78 or 77.
    func load() throws -> WaybillConfiguration {
        let loaded = try read()
        for finding in loaded.findings { Terminal.say(Terminal.standardError.line(for: finding)) }
        guard let configuration = loaded.configuration else {
            throw (ExitStatus.worst(of: loaded.findings) ?? .configuration).exit
        }
        return configuration
    }

    /// The configuration with its findings, which nobody has been told yet.
    func read() throws -> LoadedConfiguration {
        let environment = ProcessInfo.processInfo.environment
        var overrides: [String: String] = [:]
        for (path, value) in settings.compactMap(Self.parts) { overrides[path] = value }
        let path = config ?? environment["WAYBILL_CONFIG"].flatMap { $0.isEmpty ? nil : $0 } ?? existingSystemFile
        if path == nil, !environment.keys.contains(where: { $0.hasPrefix("WAYBILL_") }) {
            Terminal.say(
                "waybill: no configuration: give --config FILE, set WAYBILL_CONFIG, or write \(Self.systemFile)"
            )
            throw ExitStatus.configuration.exit
        }
        return ConfigurationLoader.load(path: path, environment: environment, overrides: overrides)
    }

    private var existingSystemFile: String? {
        FileManager.default.fileExists(atPath: Self.systemFile) ? Self.systemFile : nil
    }

    private static func parts(_ setting: String) -> (path: String, value: String)? {
        guard let equals = setting.firstIndex(of: "="), equals != setting.startIndex else { return nil }
        return (String(setting[..<equals]), String(setting[setting.index(after: equals)...]))
    }
}
