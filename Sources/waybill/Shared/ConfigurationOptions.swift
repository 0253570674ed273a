import ArgumentParser
import Foundation
import WaybillAMQP
import WaybillEncoding
import WaybillOperations
import WaybillSettings

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

    /// What a command needs of the configuration.
    ///
    /// What is wrong with it goes to standard error, one line per finding.
    ///
    /// - Throws: `ExitCode` 78 or 77.
    func load(for role: ConfigurationRole) throws -> ConfigurationSections {
        let loaded = try read(for: role)
        for finding in loaded.findings { Terminal.say(Terminal.standardError.line(for: finding)) }
        guard let sections = loaded.sections else {
            throw (ExitStatus.worst(of: loaded.findings) ?? .configuration).exit
        }
        return sections
    }

    /// What a running service needs of the configuration as it is now; says nothing itself.
    ///
    /// - Throws: ``ReloadFailure`` with the errors.
    func reload(for role: ConfigurationRole) throws -> ConfigurationSections {
        let loaded = try read(for: role)
        let errors = loaded.findings + KeyChecks.run(loaded.sections ?? ConfigurationSections(), role: role)
        guard let sections = loaded.sections, !errors.hasErrors else {
            throw ReloadFailure.findings(errors.filter { $0.severity == .error }.map { "\($0.place): \($0.message)" })
        }
        return sections
    }

    /// The section `broker`, as ``load(for:)``.
    func loadBroker(for role: ConfigurationRole) throws -> BrokerSettings { try Self.present(load(for: role).broker) }

    /// The section `store`, as ``load(for:)``.
    func loadStore(for role: ConfigurationRole) throws -> StoreSettings { try Self.present(load(for: role).store) }

    /// What a role needs is there when no finding is an error.
    static func present<Section>(_ section: Section?) throws -> Section {
        guard let section else { throw ExitStatus.configuration.exit }
        return section
    }

    /// The configuration with its findings, which nobody has been told yet.
    func read(for role: ConfigurationRole) throws -> LoadedConfiguration {
        let environment = ProcessInfo.processInfo.environment
        var overrides: [ExactName: String] = [:]
        for (path, value) in settings.compactMap(Self.parts) { overrides[path] = value }
        let path = config ?? environment["WAYBILL_CONFIG"].flatMap { $0.isEmpty ? nil : $0 } ?? existingSystemFile
        if path == nil, !environment.keys.contains(where: { $0.hasPrefix("WAYBILL_") }) {
            Terminal.say(
                "waybill: no configuration: give --config FILE, set WAYBILL_CONFIG, or write \(Self.systemFile)"
            )
            throw ExitStatus.configuration.exit
        }
        let loaded = ConfigurationLoader.load(path: path, environment: environment, overrides: overrides, role: role)
        return Self.examined(loaded, role)
    }

    /// The same, with what the broker's client finds wrong with its URL: the loader knows no more of it than where the
    /// password is.
    private static func examined(_ loaded: LoadedConfiguration, _ role: ConfigurationRole) -> LoadedConfiguration {
        guard role.needs(.broker), let broker = loaded.sections?.broker else { return loaded }
        do throws(AMQPError) {
            _ = try broker.endpoint(for: "check")
            return loaded
        } catch {
            let origin = loaded.origins["broker.url"]
            let finding = Finding(.error, path: "broker.url", origin: origin, message: error.text)
            return LoadedConfiguration(sections: nil, findings: loaded.findings + [finding], origins: loaded.origins)
        }
    }

    private var existingSystemFile: String? {
        FileManager.default.fileExists(atPath: Self.systemFile) ? Self.systemFile : nil
    }

    private static func parts(_ setting: String) -> (path: String, value: String)? {
        guard let equals = setting.firstIndex(of: "="), equals != setting.startIndex else { return nil }
        return (String(setting[..<equals]), String(setting[setting.index(after: equals)...]))
    }
}
