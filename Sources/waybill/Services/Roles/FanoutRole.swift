import WaybillFanout
import WaybillSettings

/// The fan-out as a role of a process.
struct FanoutRole {
    let settings: ConfigurationOptions
    let logging: LoggingOptions

    /// Makes it ready; connects to nothing.
    ///
    /// - Throws: what cannot be used of the configuration.
    func prepare(_ sections: ConfigurationSections) throws -> RoleWork {
        let first = try prepared(sections)
        let frame = ServiceFrame(role: .fanout, sections, logger: first.logger)
        let service = ReloadingService(first: first, view: frame.view) {
            try prepared(settings.reload(for: .fanout))
        }
        return RoleWork(frame: frame, work: service)
    }

    private func prepared(_ sections: ConfigurationSections) throws -> PreparedWorker<FanoutService> {
        let configuration = try ConfigurationOptions.present(sections.configuration)
        let logger = logging.makeLogger(label: "waybill.fanout", sections.log)
        return PreparedWorker(
            worker: try FanoutService(configuration: configuration, logger: logger),
            logger: logger
        )
    }
}
