import FoundationEssentials

/// One call about the channels of an app: what is sent, and what the answer means.
///
/// Source: Apple, "Sending channel management requests to APNs".
enum ChannelCall {
    case create(APNSChannelStoragePolicy)
    case read(APNSChannelID)
    case delete(APNSChannelID)
    case list

    /// The most that a list needs: 10,000 channels of some 30 bytes.
    private static let largestAnswer = 1 << 20

    /// What the wire wants.
    ///
    /// - Throws: ``APNSError`` for a channel id that may not stand in a header.
    func makeRequest(bundleID: String, requestID: APNSID) throws(APNSError) -> APNSRequest {
        var headers: [(name: StaticString, value: String)] = [("apns-request-id", requestID.description)]
        if let channelID {
            guard channelID.isSendable else {
                throw .invalid("channelID", "must be visible ASCII, 1 to 256 characters", apnsID: requestID)
            }
            headers.append(("apns-channel-id", channelID.rawValue))
        }
        let exchange = APNSExchange(
            method: method,
            path: AppPath.path("/1/apps/", bundleID, isList ? "/all-channels" : "/channels"),
            headers: headers,
            maximumAnswerSize: Self.largestAnswer
        )
        // A question may be asked again; a second creation would make a second channel.
        return APNSRequest(
            exchange,
            body: body,
            id: requestID,
            expiration: .absent,
            resendsUnknown: method == .get
        )
    }

    private var method: APNSExchange.Method {
        switch self {
        case .create: .post
        case .read, .list: .get
        case .delete: .delete
        }
    }

    private var channelID: APNSChannelID? {
        switch self {
        case .read(let id), .delete(let id): id
        case .create, .list: nil
        }
    }

    private var isList: Bool {
        if case .list = self { true } else { false }
    }

    private var body: [UInt8] {
        guard case .create(let storage) = self else { return [] }
        return Array(#"{"message-storage-policy":\#(storage.rawValue),"push-type":"LiveActivity"}"#.utf8)
    }
}

/// What the answers to calls about channels hold.
enum ChannelAnswer {
    private struct Description: Decodable {
        let storage: Int
        let pushType: String

        enum CodingKeys: String, CodingKey {
            case storage = "message-storage-policy"
            case pushType = "push-type"
        }
    }

    private struct List: Decodable {
        let channels: [String]
    }

    /// The body of an answer to ``ChannelCall/read(_:)``; `nil` when it cannot be read.
    static func channel(_ id: APNSChannelID, _ body: [UInt8]) -> APNSChannel? {
        guard let description = try? JSONDecoder().decode(Description.self, from: Data(body)) else { return nil }
        return APNSChannel(
            id: id,
            storage: APNSChannelStoragePolicy(rawValue: description.storage),
            pushType: description.pushType
        )
    }

    /// The body of an answer to ``ChannelCall/list``; `nil` when it cannot be read.
    static func channels(_ body: [UInt8]) -> [APNSChannelID]? {
        guard let list = try? JSONDecoder().decode(List.self, from: Data(body)) else { return nil }
        return list.channels.map(APNSChannelID.init(rawValue:))
    }
}
