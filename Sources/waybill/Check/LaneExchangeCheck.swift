import WaybillDispatcher
import WaybillProviders
import WaybillSettings

/// Buys what a lane's requests show their provider, where that is bought from somebody else.
enum LaneExchangeCheck {
    /// - Returns: `nil` for a lane that buys nothing, and for one whose key cannot be read, which has its finding already.
    static func run(_ lane: LaneSettings, path: String) async -> Finding? {
        guard let key = try? lane.readKey(), let proof = await lane.tryExchange(key: key) else { return nil }
        let message = "\(lane.name): \(proof.text)"
        return switch proof.verdict {
        case .proven, .open: Finding(.ok, path: path, message: message)
        case .refused: Finding(.error, .configuration, path: path, message: message)
        case .unreachable: Finding(.error, .unavailable, path: path, message: message)
        }
    }
}
