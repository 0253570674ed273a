package import WaybillDeviceRegistry
import WaybillEncoding
package import WaybillMessages
package import WaybillProviders

/// Which lane each device of an audience takes, and which devices are left out.
package struct AudienceLanes: Sendable {
    /// What becomes of a device.
    package enum Way: Hashable, Sendable {
        /// By its position among the configuration's.
        case lane(Int)
        /// None is configured for it, or none of those that the audience names.
        case withoutLane
        /// It would take a lane to a provider whose phones the content is not for.
        case withoutContent
    }

    private let lanes: [Lane]
    /// The names of those that it may take; empty: any.
    private let names: [String]
    private let providers: Set<ProviderName>

    /// - Parameters:
    ///   - message: the audience.
    ///   - lanes: of the configuration.
    package init(_ message: AudienceMessage, among lanes: [Lane]) {
        self.lanes = lanes
        names = message.lanes
        providers = AudienceContent.providers(of: message)
    }

    /// Whether an audience may go over a lane, as far as its names say.
    static func isMeant(_ lane: Lane, by message: AudienceMessage) -> Bool {
        message.lanes.isEmpty
            ? message.selection.apps.containsExactly(lane.provider.app)
            : message.lanes.containsExactly(lane.name)
    }

    /// Whether the content is for the phones of a lane.
    package func hasContent(for lane: Lane) -> Bool { providers.contains(lane.provider.name) }

    /// What becomes of a device: it takes the first lane of its provider, app and environment; of those that the audience
    /// names, if it names any.
    package func way(of address: DeviceAddress?) -> Way {
        guard let address, let position = lane(of: address) else { return .withoutLane }
        return hasContent(for: lanes[position]) ? .lane(position) : .withoutContent
    }

    private func lane(of address: DeviceAddress) -> Int? {
        lanes.firstIndex { lane in
            guard names.isEmpty || names.containsExactly(lane.name), lane.environment == address.environment else {
                return false
            }
            return lane.provider.name.rawValue == address.provider.rawValue && lane.provider.app.isExactly(address.app)
        }
    }
}
