package import WaybillDeviceRegistry
package import WaybillEncoding
package import WaybillMessages
package import WaybillProviders

/// How many devices of an audience would be sent to over which lane, and how many are left out.
package struct AudienceReach: Hashable, Sendable {
    package struct OverLane: Hashable, Sendable {
        package let name: String
        package let provider: ProviderName
        package let devices: Int
    }

    /// In the configuration's order, those that any device takes.
    package private(set) var lanes: [OverLane] = []
    /// Devices for which no lane is configured.
    package private(set) var withoutLane = 0
    /// Devices of a provider for whose phones the content is not.
    package private(set) var withoutContent = 0

    /// - Parameters:
    ///   - shares: the audience's devices.
    ///   - message: the audience.
    ///   - lanes: of the configuration.
    package init(_ shares: [DeviceShare], of message: AudienceMessage, over lanes: [Lane]) {
        let ways = AudienceLanes(message, among: lanes)
        var counts: [Int] = Array(repeating: 0, count: lanes.count)
        for share in shares {
            switch ways.way(of: share.address) {
            case .lane(let position): counts[position] += share.devices
            case .withoutLane: withoutLane += share.devices
            case .withoutContent: withoutContent += share.devices
            }
        }
        self.lanes = zip(lanes, counts).filter { $0.1 > 0 }.map { lane, count in
            OverLane(name: lane.name, provider: lane.provider.name, devices: count)
        }
    }

    /// Why nothing would be sent to any device; `nil` where something would be.
    package var whyNobody: String? {
        guard lanes.isEmpty else { return nil }
        return switch (withoutLane > 0, withoutContent > 0) {
        case (false, false): "no device that may be pushed to matches"
        case (true, false): "none of its devices has a lane"
        case (false, true): "it has no content for the provider of any device"
        case (true, true): "each of its devices has no lane, or there is no content for its provider"
        }
    }

    /// Devices that nothing would be sent to.
    package var leftOut: AudienceLeftOut {
        AudienceLeftOut(withoutLane: withoutLane, withoutContent: withoutContent)
    }

    /// The members of an object that says so.
    package func append(to json: inout JSONWriter) {
        json.beginArray("lanes")
        for lane in lanes {
            json.beginObject()
            json.member("lane", lane.name)
            json.member("provider", lane.provider.rawValue)
            json.member("devices", lane.devices)
            json.endObject()
        }
        json.endArray()
        json.member("without_lane", withoutLane)
        json.member("without_content", withoutContent)
    }
}
