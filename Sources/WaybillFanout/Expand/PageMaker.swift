import WaybillAudience
import WaybillCore
import WaybillDeviceRegistry
import WaybillMessages
import WaybillProviders

/// Makes dispatch messages of devices: one for each lane, and at FCM one for each kind of token.
struct PageMaker {
    let lanes: [Lane]

    /// The tokens of one dispatch message.
    private struct Share: Hashable {
        let lane: Int
        let areInstallations: Bool
    }

    /// - Parameters:
    ///   - devices: of one page.
    ///   - message: what is sent.
    ///   - isUrgent: whether the messages go to the dispatch queue.
    ///   - isLast: whether no device is left.
    ///   - time: of the messages, in seconds since 1970.
    /// - Returns: the page, and how many of the devices are in none of its messages.
    func page(
        _ devices: [DevicePosition],
        of message: AudienceMessage,
        isUrgent: Bool,
        isLast: Bool,
        time: Int64
    ) -> (page: AudiencePage, leftOut: AudienceLeftOut) {
        let ways = AudienceLanes(message, among: lanes)
        var tokens: [Share: [String]] = [:]
        var leftOut = AudienceLeftOut()
        for device in devices {
            switch ways.way(of: device.address) {
            case .lane(let position):
                let share = Share(lane: position, areInstallations: device.isInstallation)
                tokens[share, default: []].append(device.address?.token ?? "")
            case .withoutLane: leftOut.withoutLane += 1
            case .withoutContent: leftOut.withoutContent += 1
            }
        }
        // The same page is the same messages in the same order.
        let shares = lanes.indices.flatMap { lane in
            [false, true].map { Share(lane: lane, areInstallations: $0) }
        }
        let messages = shares.compactMap { share -> AudiencePage.Message? in
            guard let tokens = tokens[share] else { return nil }
            return AudiencePage.Message(
                count: tokens.count,
                isUrgent: isUrgent,
                body: message.dispatchBody(
                    lane: lanes[share.lane].name,
                    tokens: tokens,
                    areInstallations: share.areInstallations
                )
            )
        }
        return (AudiencePage(time: time, messages: messages, isLast: isLast), leftOut)
    }
}
