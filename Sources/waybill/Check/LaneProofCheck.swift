import WaybillDispatcher
import WaybillProviders
import WaybillSettings

/// Sends one push to an impossible device on a lane: what reaching its endpoint cannot show.
enum LaneProofCheck {
    static func run(_ lane: LaneSettings, path: String) async -> Finding {
        let key: [UInt8]?
        do {
            key = try lane.readKey()
        } catch {
            return Finding(.error, .configuration, path: path, message: "\(lane.name): \(error)")
        }
        let proof = await lane.prove(key: key)
        let message = "\(lane.name): \(proof.text)"
        return switch proof.verdict {
        case .proven: Finding(.ok, path: path, message: message)
        case .refused: Finding(.error, .configuration, path: path, message: message)
        case .open: Finding(.warning, path: path, message: message)
        case .unreachable: Finding(.error, .unavailable, path: path, message: message)
        }
    }
}
