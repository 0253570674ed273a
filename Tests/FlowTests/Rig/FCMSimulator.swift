import Foundation

/// A running `apns-simulator` that plays FCM and its token endpoint, with a lane to it.
struct FCMSimulator {
    static let project = "waybill-demo"
    static let lane = "android"

    let simulator: Simulator
    private let folder: URL

    /// Starts it in a folder that holds credentials.
    init(in folder: URL, rules: String? = nil, arguments: [String] = []) async throws {
        self.folder = folder
        let made = folder.appendingPathComponent("service-account.json")
        simulator = try await Simulator(
            in: folder,
            name: "fcm",
            rules: rules,
            arguments: ["--service-account", made.path] + arguments
        )
        // The port is known by now, and with it the token endpoint.
        var key = try JSONSerialization.jsonObject(with: Data(contentsOf: made)) as? [String: Any] ?? [:]
        key["token_uri"] = "https://localhost:\(simulator.port)/token"
        let file = folder.appendingPathComponent(Self.keyFile)
        try JSONSerialization.data(withJSONObject: key).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }

    private static let keyFile = "fcm-key.json"

    /// The lane that leads to it.
    var extraLane: Rig.ExtraLane {
        Rig.ExtraLane(name: Self.lane, port: simulator.port, serviceAccountFile: Self.keyFile)
    }

    /// The messages that were sent, by our id in them, each with its whole `message` object.
    func messages() throws -> [String: [[String: Any]]] {
        var found: [String: [[String: Any]]] = [:]
        for received in try simulator.received() {
            guard let payload = received.payload,
                let body = try? JSONSerialization.jsonObject(with: Data(payload.utf8)) as? [String: Any],
                let message = body["message"] as? [String: Any],
                let id = (message["data"] as? [String: Any])?["wb_id"] as? String
            else { continue }
            found[id, default: []].append(message)
        }
        return found
    }
}
