import WaybillCore
import WaybillProviders
import WaybillSettings

/// Whether what services say reaches somebody; that lane, app and client are there was looked at when the configuration was read.
enum NotifireCheck {
    private static let path = "serve.notifire.services"

    static func run(_ serve: ServeSettings, lanes: [LaneSettings], producers: ProducerRules?) -> [Finding] {
        reach(serve, lanes: lanes) + speakers(serve, producers)
    }

    /// Whether anybody who may publish can say that a service has said it.
    private static func speakers(_ serve: ServeSettings, _ producers: ProducerRules?) -> [Finding] {
        guard let services = serve.notifire?.services, producers?.isStrict != true else { return [] }
        return [
            Finding(
                .warning,
                path: "producers.strict",
                message: "is not set: whoever may publish to the broker can speak as the client \(services.client)",
                advice: "Say who may send as whom, and let the user of waybill serve alone send as \(services.client)."
            )
        ]
    }

    private static func reach(_ serve: ServeSettings, lanes: [LaneSettings]) -> [Finding] {
        guard let notifire = serve.notifire else { return [] }
        guard let services = notifire.services else {
            return [
                Finding(
                    .warning,
                    path: path,
                    message: "is missing: people have accounts, and no services, devices and notifications",
                    advice: "Name the app and the lane that reaches it: services: {app: com.example.app, lane: NAME}."
                )
            ]
        }
        // Without lanes, as for waybill check --as serve, nothing is known of them.
        guard !lanes.isEmpty else { return [] }
        let android = services.fcm.map { ", and \($0.project) by the lane \($0.lane)" } ?? ""
        return [
            Finding(.ok, path: path, message: "services reach \(services.app) by the lane \(services.lane)\(android)")
        ]
    }
}
