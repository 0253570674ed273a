import WaybillSettings

/// A role whose worker is replaced by another one when its configuration is read again.
protocol ReloadedRole: Sendable {
    associatedtype Worker: ReplaceableWorker

    static var role: AdminSettings.Role { get }
    /// What it cannot do without of the configuration.
    static var needs: ConfigurationRole { get }
    var settings: ConfigurationOptions { get }

    /// Its worker, which has connected to nothing.
    ///
    /// - Throws: what cannot be used of the configuration.
    func prepared(_ sections: ConfigurationSections) throws -> PreparedWorker<Worker>
}

extension ReloadedRole {
    /// Makes it ready; connects to nothing.
    ///
    /// - Throws: what cannot be used of the configuration.
    func prepare(_ sections: ConfigurationSections) throws -> RoleWork {
        let first = try prepared(sections)
        let frame = ServiceFrame(role: Self.role, sections, logger: first.logger)
        let reloads = ReloadRequests()
        let service = ReloadingService(first: first, view: frame.view, requests: reloads) {
            try prepared(settings.reload(for: Self.needs))
        }
        return RoleWork(frame: frame, work: service, reloads: reloads)
    }
}
