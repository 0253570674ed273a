import Foundation
import Testing
import WaybillEncoding
import WaybillProviders
import WaybillTestSupport

@testable import WaybillSettings

/// Texts that the tests vary.
enum ConfigurationText {
    static let minimal = """
        broker:
          url: amqp://localhost/
        store:
          url: mongodb://localhost/
        retention:
          default: 30d
        lanes:
          - name: parcels
            bundle_id: com.example.parcels
            team_id: ABCDE12345
            key_id: ABC123DEFG
            key_file: key.p8

        """

    /// Loads a text as if it stood in a file.
    static func load(
        _ text: String,
        environment: [String: String] = [:],
        overrides: [ExactName: String] = [:],
        role: ConfigurationRole = .all
    ) throws -> LoadedConfiguration {
        let folder = try TemporaryFolder()
        let file = try folder.write("waybill.yaml", text)
        return ConfigurationLoader.load(path: file, environment: environment, overrides: overrides, role: role)
    }

    /// The minimal text with a part exchanged; fails when the part is not there.
    static func minimal(replacing old: String, with new: String) throws -> String {
        try #require(minimal.contains(old))
        return minimal.replacingOccurrences(of: old, with: new)
    }
}

extension LaneSettings {
    /// What a lane to APNs has of its own; `nil` for any other.
    var apns: APNSLaneSettings? {
        if case .apns(let settings) = provider { settings } else { nil }
    }

    /// What a lane to FCM has of its own; `nil` for any other.
    var fcm: FCMLaneSettings? {
        if case .fcm(let settings) = provider { settings } else { nil }
    }
}
