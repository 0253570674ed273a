/// What loading has brought: a configuration that can be used, or the errors that stand in its way.
package struct LoadedConfiguration: Sendable {
    /// `nil` when there are errors among the findings.
    package let configuration: WaybillConfiguration?
    /// In the order of the file; warnings included.
    package let findings: [Finding]
    /// Where each setting came from, by path; what has its default is absent.
    package let origins: [String: SettingOrigin]
}

/// Reads the configuration: flags over `WAYBILL_*` environment over file over defaults.
///
/// Nothing but the files that the configuration names for secrets is touched: keys, certificates and servers are the
/// business of ``KeyChecks`` and of `waybill check`.
package enum ConfigurationLoader {
    private static let mostBytes = 1 << 20

    /// Loads a configuration.
    ///
    /// - Parameters:
    ///   - path: the YAML file; `nil` reads the environment and the overrides alone.
    ///   - environment: the process's environment.
    ///   - overrides: values of flags by the path of the setting, such as `broker.url`.
    /// - Returns: the configuration and what there is to say about it, all errors at once.
    package static func load(
        path: String?,
        environment: [String: String],
        overrides: [String: String] = [:]
    ) -> LoadedConfiguration {
        let findings = FindingCollector()
        var root: ConfigurationNode?
        if let path {
            switch FileContent.read(path, limit: mostBytes) {
            case .success(let bytes):
                root = tree(bytes, findings)
            case .failure(let problem):
                findings.error("", nil, problem.reason, category: problem.category)
            }
            // Without the file everything else would look missing, too.
            if findings.findings.hasErrors {
                return LoadedConfiguration(configuration: nil, findings: findings.findings, origins: [:])
            }
        }
        let folder = path?.lastIndex(of: "/").map { String(path![..<$0]) } ?? ""
        let configuration = read(
            root,
            folder: folder,
            overrides: Overrides(flags: overrides, environment: environment),
            findings
        )
        let sorted = findings.findings.inFileOrder()
        return LoadedConfiguration(
            configuration: sorted.hasErrors ? nil : configuration,
            findings: sorted,
            origins: findings.origins
        )
    }

    private static func tree(_ bytes: [UInt8], _ findings: FindingCollector) -> ConfigurationNode? {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            findings.error("", nil, "the file is not UTF-8 text")
            return nil
        }
        do throws(YAMLFile.SyntaxError) {
            return try YAMLFile.parse(text)
        } catch {
            findings.error("", error.line.map { .file(line: $0) }, "the file \(error.reason)")
            return nil
        }
    }

    private static func read(
        _ node: ConfigurationNode?,
        folder: String,
        overrides: Overrides,
        _ findings: FindingCollector
    ) -> WaybillConfiguration? {
        let root = SectionReader(
            path: "",
            node: node,
            line: nil,
            folder: folder,
            overrides: overrides,
            findings: findings
        )
        let broker = BrokerSection.read(root.section("broker"))
        let store = StoreSection.read(root.section("store"))
        let retention = RetentionSection.read(root.section("retention"))
        let lanes = LanesSection.read(root)
        let clients = ClientsSection.read(root.section("clients"))
        let admin = AdminSection.read(root.section("admin"))
        let limits = LimitsSection.read(root.section("limits"))
        let retry = RetrySection.read(root.section("retry"))
        let dispatch = DispatchSection.read(root.section("dispatch"))
        root.finish()
        overrides.reportUnknown(to: findings)
        guard let broker, let store, let retention else { return nil }
        return WaybillConfiguration(
            broker: broker,
            store: store,
            retention: retention,
            lanes: lanes,
            clients: clients,
            admin: admin,
            limits: limits,
            retry: retry,
            dispatch: dispatch
        )
    }
}
