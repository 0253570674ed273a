import WaybillFanout
import WaybillSettings

/// The fan-out as a role of a process.
struct FanoutRole: ReloadedRole {
    static let role = AdminSettings.Role.fanout
    static let needs = ConfigurationRole.fanout

    let settings: ConfigurationOptions
    let logging: LoggingOptions

    func prepared(_ sections: ConfigurationSections) throws -> PreparedWorker<FanoutService> {
        let configuration = try ConfigurationOptions.present(sections.configuration)
        let logger = logging.makeLogger(label: "waybill.fanout", sections.log)
        return PreparedWorker(
            worker: try FanoutService(configuration: configuration, logger: logger),
            logger: logger
        )
    }
}
