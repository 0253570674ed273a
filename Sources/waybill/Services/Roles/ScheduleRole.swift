import WaybillSchedule
import WaybillSettings

/// The schedule as a role of a process.
struct ScheduleRole {
    let settings: ConfigurationOptions
    let logging: LoggingOptions

    /// Makes it ready; connects to nothing.
    ///
    /// - Throws: what cannot be used of the configuration.
    func prepare(_ sections: ConfigurationSections) throws -> RoleWork {
        let first = try prepared(sections)
        let frame = ServiceFrame(role: .schedule, sections, logger: first.logger)
        let service = ReloadingService(first: first, view: frame.view) {
            try prepared(settings.reload(for: .schedule))
        }
        return RoleWork(frame: frame, work: service)
    }

    private func prepared(_ sections: ConfigurationSections) throws -> PreparedWorker<ScheduleService> {
        let configuration = try ConfigurationOptions.present(sections.configuration)
        let logger = logging.makeLogger(label: "waybill.schedule", sections.log)
        return PreparedWorker(
            worker: try ScheduleService(configuration: configuration, schedule: sections.schedule, logger: logger),
            logger: logger
        )
    }
}
