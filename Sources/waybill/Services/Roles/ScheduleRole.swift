import WaybillSchedule
import WaybillSettings

/// The schedule as a role of a process.
struct ScheduleRole: ReloadedRole {
    static let role = AdminSettings.Role.schedule
    static let needs = ConfigurationRole.schedule

    let settings: ConfigurationOptions
    let logging: LoggingOptions

    func prepared(_ sections: ConfigurationSections) throws -> PreparedWorker<ScheduleService> {
        let configuration = try ConfigurationOptions.present(sections.configuration)
        let logger = logging.makeLogger(label: "waybill.schedule", sections.log)
        return PreparedWorker(
            worker: try ScheduleService(
                configuration: configuration,
                schedule: sections.schedule,
                services: sections.serve?.services,
                baseURL: sections.serve?.accounts?.baseURL,
                logger: logger
            ),
            logger: logger
        )
    }
}
