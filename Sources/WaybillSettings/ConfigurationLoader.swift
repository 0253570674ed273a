import WaybillCore
package import WaybillEncoding
import WaybillProviders

/// What loading has brought: a configuration that can be used, or the errors that stand in its way.
package struct LoadedConfiguration: Sendable {
    /// What the role needs and what else is there; `nil` when there are errors among the findings.
    package let sections: ConfigurationSections?
    /// In the order of the file; warnings included.
    package let findings: [Finding]
    /// Where each setting came from, by path; what has its default is absent.
    package let origins: [String: SettingOrigin]

    package init(
        sections: ConfigurationSections?,
        findings: [Finding],
        origins: [String: SettingOrigin]
    ) {
        self.sections = sections
        self.findings = findings
        self.origins = origins
    }

    /// The whole configuration; `nil` when there are errors, or when the role does without some of it.
    package var configuration: WaybillConfiguration? { sections?.configuration }
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
    ///   - role: which sections must be there.
    /// - Returns: the configuration and what there is to say about it, all errors at once.
    package static func load(
        path: String?,
        environment: [String: String],
        overrides: [ExactName: String] = [:],
        role: ConfigurationRole = .all
    ) -> LoadedConfiguration {
        let findings = FindingCollector()
        var root: ConfigurationNode?
        var file = ConfigurationFile(path: path)
        if let path {
            switch FileContent.readWithAccess(path, limit: mostBytes) {
            case .success(let (bytes, isOpen)):
                file.isReadableByOthers = isOpen
                root = tree(bytes, findings)
            case .failure(let problem):
                findings.error("", nil, problem.reason, category: problem.category)
            }
            // Without the file everything else would look missing, too.
            if findings.findings.hasErrors {
                return LoadedConfiguration(sections: nil, findings: findings.findings, origins: [:])
            }
        }
        let sections = read(
            root,
            file: file,
            role: role,
            overrides: Overrides(flags: overrides, environment: environment),
            findings
        )
        let sorted = findings.findings.inFileOrder()
        return LoadedConfiguration(
            sections: sorted.hasErrors ? nil : sections,
            findings: sorted,
            origins: findings.origins
        )
    }

    private static func tree(_ bytes: [UInt8], _ findings: FindingCollector) -> ConfigurationNode? {
        guard let text = String(validating: ByteOrderMark.removed(from: bytes), as: UTF8.self) else {
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
        file: ConfigurationFile,
        role: ConfigurationRole,
        overrides: Overrides,
        _ findings: FindingCollector
    ) -> ConfigurationSections {
        let root = SectionReader(
            path: "",
            node: node,
            line: nil,
            file: file,
            overrides: overrides,
            findings: findings
        )
        func section(_ section: ConfigurationRole.Section) -> SectionReader {
            root.section(section.rawValue, isNeeded: role.needs(section))
        }
        var sections = ConfigurationSections()
        sections.broker = BrokerSection.read(section(.broker), asksManagement: role.asksManagement)
        sections.store = StoreSection.read(section(.store))
        sections.retention = RetentionSection.read(section(.retention))
        sections.lanes = LanesSection.read(root, isNeeded: role.needs(.lanes))
        sections.receipts = ReceiptsSection.read(root.section("receipts", isNeeded: role.readsReceiptKeys))
        ReceiptsSection.apply(sections.receipts, to: &sections.lanes, findings)
        let retained = (sections.retention?.clients.keys).map(\.sortedTexts) ?? []
        sections.clients = ClientsSection.read(
            root.section("clients"),
            known: retained,
            apps: sections.lanes.map(\.lane.provider.app)
        )
        if let named = sections.retention?.clients {
            sections.retention?.otherClients.formUnion(sections.clients.keys.filter { named[$0] == nil })
        }
        sections.producers = ProducersSection.read(
            root,
            lanes: sections.lanes.map(\.name),
            clients: retained + sections.clients.keys.sortedTexts
        )
        sections.admin = AdminSection.read(root.section("admin"))
        sections.serve = ServeSection.read(section(.serve), receipts: sections.receipts)
        if let services = sections.serve?.services, let own = sections.clients[services.client]?.apps {
            for app in services.apps where !own.containsExactly(app) {
                root.error(
                    "clients",
                    "\(services.client) sends for serve.notifire.services; name \(app) among its apps"
                )
            }
        }
        sections.webhooks = WebhooksSection.read(root.section("webhooks"))
        sections.mail = MailSection.read(section(.mail), isOptional: sections.webhooks != nil)
        sections.limits = LimitsSection.read(root.section("limits"))
        sections.retry = RetrySection.read(root.section("retry"))
        sections.dispatch = DispatchSection.read(root.section("dispatch"))
        sections.schedule = ScheduleSection.read(root.section("schedule"))
        sections.fanout = FanoutSection.read(root.section("fanout"))
        sections.prune = PruneSection.read(root.section("prune"))
        sections.log = LogSection.read(root.section("log"))
        FrontDoorChecks.run(sections, findings)
        root.finish()
        overrides.reportUnknown(to: findings)
        return sections
    }
}
