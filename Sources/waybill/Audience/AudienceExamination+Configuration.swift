import WaybillAudience
import WaybillCore
import WaybillProviders
import WaybillSettings

extension AudienceExamination {
    /// That of a configuration, as fan-out makes it.
    init(_ sections: ConfigurationSections) {
        self.init(
            lanes: sections.lanes.map(\.lane),
            limits: sections.limits,
            retention: sections.retention ?? RetentionPolicy(default: .keep),
            apps: ClientApps(sections.reach.apps, isClosed: sections.reach.isClosed)
        )
    }
}
