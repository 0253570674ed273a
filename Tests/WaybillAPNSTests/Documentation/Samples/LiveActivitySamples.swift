import WaybillAPNS

/// The code of "Live Activities and broadcasts".
enum LiveActivitySamples {
    // The same fields as in the app's ActivityAttributes and its ContentState.
    struct DeliveryAttributes: Encodable {
        var parcel: Int
    }

    struct DeliveryState: Encodable {
        var stopsLeft: Int
        var driver: String?
    }

    static func start(pushToStartToken: String) throws -> APNSNotification {
        let start = try APNSNotification(
            to: pushToStartToken,
            .liveActivityStart(
                attributesType: "DeliveryAttributes",
                attributes: DeliveryAttributes(parcel: 7),
                contentState: DeliveryState(stopsLeft: 12),
                alert: APNSLiveActivityAlert(title: "Parcel 7", body: "It is on its way"),
                staleDate: .now + .seconds(1800),
                input: .token
            )
        )
        return start
    }

    static func update(activityToken: String) throws -> APNSNotification {
        var update = try APNSNotification(
            to: activityToken,
            .liveActivityUpdate(contentState: DeliveryState(stopsLeft: 3, driver: "Ada"))
        )
        update.priority = .powerAware
        return update
    }

    static func end(activityToken: String) throws -> APNSNotification {
        let end = try APNSNotification(
            to: activityToken,
            .liveActivityEnd(
                contentState: DeliveryState(stopsLeft: 0),
                dismissalDate: .now + .seconds(600)
            )
        )
        return end
    }

    static func ready(activityToken: String) throws -> APNSNotification {
        let state = try APNSJSON(#"{"stopsLeft": 3}"#)
        let update = try APNSNotification(to: activityToken, .liveActivityUpdate(contentState: state))
        return update
    }

    static func makeChannel(with channels: APNSChannelClient) async throws -> APNSChannelID {
        let id = try await channels.create(storage: .newest)
        let channel = try await channels.read(id)
        print("\(channel.id) keeps \(channel.storage == .newest ? "the newest broadcast" : "nothing")")
        let all = try await channels.list()
        print("\(all.count) channels")
        return id
    }

    static func channelConfiguration(source: APNSProviderTokenSource) -> APNSConfiguration {
        let configuration = APNSConfiguration(
            endpoint: .sandboxChannels,
            credentials: .token(source),
            bundleID: "com.example.parcels"
        )
        return configuration
    }

    static func broadcast(to channel: APNSChannelID, client: APNSClient) async throws -> APNSResponse {
        var broadcast = try APNSBroadcast(
            to: channel,
            .liveActivityUpdate(contentState: DeliveryState(stopsLeft: 3))
        )
        broadcast.expiration = .after(.seconds(600))
        let response = try await client.broadcast(broadcast)
        return response
    }

    static func follow(_ channel: APNSChannelID, pushToStartToken: String) throws -> APNSNotification {
        let start = try APNSNotification(
            to: pushToStartToken,
            .liveActivityStart(
                attributesType: "DeliveryAttributes",
                attributes: DeliveryAttributes(parcel: 7),
                contentState: DeliveryState(stopsLeft: 12),
                alert: APNSLiveActivityAlert(title: "Parcel 7", body: "It is on its way"),
                input: .channel(channel.rawValue)
            )
        )
        return start
    }

    static func delete(_ id: APNSChannelID, with channels: APNSChannelClient) async throws {
        do {
            try await channels.delete(id)
        } catch {
            guard error.saysThatChannelIsGone else { throw error }
        }
    }
}
