/// Answers requests about channels ("Sending channel management requests to APNs", "Sending broadcast push notification
/// requests to APNs").
struct ChannelHandler {
    private let validator: ChannelValidator
    private let channels: SimulatorChannels

    init(policy: ValidationPolicy, channels: SimulatorChannels) {
        validator = ChannelValidator(policy: policy)
        self.channels = channels
    }

    /// The first reason against the request that does not hang on any channel.
    func refusal(
        of request: RequestInProgress,
        target: ChannelTarget,
        certificate: ProviderCertificate?,
        authenticate: (_ authorization: ArraySlice<UInt8>?) -> DocumentedReason?
    ) -> DocumentedReason? {
        validator.refusal(head: request.head, target: target, certificate: certificate, authenticate: authenticate)
    }

    /// Does what the request asks for, and answers it.
    func answer(_ request: RequestInProgress, target: ChannelTarget) -> SimulatorAnswer {
        switch target {
        case .broadcast(let bundleID):
            withChannel(request, bundleID) { channel in
                let refusal = validator.refusalOfBroadcast(request.head, payload: request.payload, to: channel)
                return refusal.map { .documented($0) } ?? .accepted
            }
        case .create(let bundleID): create(bundleID, request.payload)
        case .read(let bundleID):
            withChannel(request, bundleID) { SimulatorAnswer(status: 200, body: Self.description(of: $0)) }
        case .delete(let bundleID):
            withChannel(request, bundleID) { channel in
                channels.remove(channel.id, of: bundleID)
                return SimulatorAnswer(status: 204)
            }
        case .list(let bundleID):
            SimulatorAnswer(status: 200, body: Self.list(channels.all(of: bundleID)))
        case .refused(let reason): .documented(reason)
        }
    }

    private func withChannel(
        _ request: RequestInProgress,
        _ bundleID: String,
        _ answer: (SimulatorChannel) -> SimulatorAnswer
    ) -> SimulatorAnswer {
        switch validator.refusalOfChannel(request.head, { channels.channel($0, of: bundleID) }) {
        case .found(let channel): answer(channel)
        case .refused(let reason): .documented(reason)
        }
    }

    private func create(_ bundleID: String, _ payload: [UInt8]) -> SimulatorAnswer {
        switch validator.storagePolicy(payload) {
        case .failure(let refusal): return .documented(refusal.reason)
        case .success(let storesMessages):
            guard let channel = channels.create(bundleID: bundleID, storesMessages: storesMessages) else {
                return .documented(.cannotCreateChannel)
            }
            var form = AnswerForm()
            form.channelID = channel.id
            return SimulatorAnswer(status: 201, form: form)
        }
    }

    private static func description(of channel: SimulatorChannel) -> String {
        #"{"message-storage-policy":\#(channel.storesMessages ? 1 : 0),"push-type":"LiveActivity"}"#
    }

    private static func list(_ channels: [SimulatorChannel]) -> String {
        // Base64 has nothing in it that JSON would escape.
        #"{"channels":[\#(channels.map { "\"\($0.id)\"" }.joined(separator: ","))]}"#
    }
}
