import WaybillDeliveryLog
import WaybillDeviceRegistry
import WaybillEncoding
import WaybillMongo

/// What the registry says of tokens, as steps of a story.
///
/// *Thread:* its client's. *Blocking:* up to the registry's time limits.
struct RegistrySteps {
    private static let mostDevices = 20

    private let registry: DeviceReader?
    /// Whose devices are told of; `nil` for everybody's.
    private let clients: [String]?
    private let holdsDigests: Bool

    /// - Parameters:
    ///   - registry: who is asked; `nil` for nobody.
    ///   - scope: whose devices are told of.
    ///   - tokens: how the log holds them.
    init(_ registry: DeviceReader?, _ scope: DeliveryScope, _ tokens: DeliveryLogOptions.Tokens) {
        self.registry = registry
        clients =
            switch scope {
            case .all: nil
            case .clients(let clients): clients.sortedTexts
            }
        holdsDigests = if case .digest = tokens { true } else { false }
    }

    /// What it says of a record's token: it cannot be asked for a token of which the log holds a digest.
    func steps(of record: LoggedDelivery) -> [StoryStep] {
        guard holdsDigests, registry != nil, record.deviceToken != nil else {
            return record.deviceToken.map { steps(of: Array($0.utf8)) } ?? []
        }
        return [
            StoryStep(.registry, date: nil, text: "not asked: the log holds digests of tokens; the whole token tells")
        ]
    }

    /// What it says of a token.
    ///
    /// Where it cannot be asked, that is said in place of it: the log's part of the answer is worth having alone.
    func steps(of token: [UInt8]) -> [StoryStep] {
        guard let registry else { return [] }
        do throws(MongoError) {
            let query = DeviceQuery(token: token, clients: clients)
            let cursor = registry.devices(query, limit: Self.mostDevices)
            var steps: [StoryStep] = []
            while let device = try cursor.next() { steps.append(Self.step(device)) }
            guard steps.isEmpty else { return steps }
            return [StoryStep(.registry, date: nil, text: clients == nil ? Self.noDevice : Self.noDeviceOfClients)]
        } catch {
            return [StoryStep(.registry, date: nil, text: "not readable: \(error)")]
        }
    }

    private static let noDevice = "no device has this token"
    private static let noDeviceOfClients = "no device of your clients has this token"

    private static func step(_ device: Device) -> StoryStep {
        let place = [device.app, device.environment].compactMap(\.self).joined(separator: ", ")
        let text = place.isEmpty ? device.state.rawValue : "\(device.state.rawValue) for \(place)"
        return StoryStep(.registry, date: device.since, text: text, reason: device.reason)
    }
}
