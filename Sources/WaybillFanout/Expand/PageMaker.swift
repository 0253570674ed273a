import WaybillAudience
import WaybillCore
import WaybillDeviceRegistry
import WaybillMessages
import WaybillProviders

/// Makes dispatch messages of devices: one for each lane.
struct PageMaker {
    let lanes: [Lane]

    /// - Parameters:
    ///   - devices: of one page.
    ///   - message: what is sent.
    ///   - isUrgent: whether the messages go to the dispatch queue.
    ///   - isLast: whether no device is left.
    ///   - time: of the messages, in seconds since 1970.
    /// - Returns: the page, and how many of the devices have no lane.
    func page(
        _ devices: [DevicePosition],
        of message: AudienceMessage,
        isUrgent: Bool,
        isLast: Bool,
        time: Int64
    ) -> (page: AudiencePage, withoutLane: Int) {
        var tokens: [[String]] = Array(repeating: [], count: lanes.count)
        var withoutLane = 0
        for device in devices {
            if let address = device.address, let position = lane(of: address, named: message.lane) {
                tokens[position].append(address.token)
            } else {
                withoutLane += 1
            }
        }
        let messages = lanes.indices.filter { !tokens[$0].isEmpty }.map { lane in
            AudiencePage.Message(
                count: tokens[lane].count,
                isUrgent: isUrgent,
                body: message.dispatchBody(lane: lanes[lane].name, tokens: tokens[lane])
            )
        }
        return (AudiencePage(time: time, messages: messages, isLast: isLast), withoutLane)
    }

    /// The first lane of a device's provider, app and environment; of those of a name, if there is one.
    func lane(of address: DeviceAddress, named name: String?) -> Int? {
        lanes.firstIndex { lane in
            guard name == nil || lane.name == name, lane.environment == address.environment else { return false }
            return lane.provider.name.rawValue == address.provider.rawValue && lane.provider.app == address.app
        }
    }
}
