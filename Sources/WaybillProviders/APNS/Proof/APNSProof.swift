import WaybillAPNS
import WaybillCore

/// A push to a device token that no device has.
enum APNSProof {
    /// 32 zero bytes.
    static let token = String(repeating: "00", count: 32)

    /// A background push of the lowest priority, which APNs need not keep: if anybody had the token, nothing would be seen.
    private static var notification: APNSNotification {
        var notification = APNSNotification(
            to: token,
            payload: Array(#"{"aps":{"content-available":1}}"#.utf8),
            pushType: .background
        )
        notification.expiration = .immediate
        return notification
    }

    static func run(_ setup: LaneSetup, _ settings: APNSLaneSettings, _ patience: SendPatience) async -> LaneProof {
        do {
            var credentials = APNSLaneCredentials()
            var configuration = APNSConfiguration(
                setup,
                bundleID: settings.rules.bundleID,
                credentials: try credentials.make(settings, key: setup.key),
                patience
            )
            configuration.bundleID = settings.rules.bundleID
            let client = try APNSClient(configuration)
            let proof: LaneProof
            do {
                proof = judge(try await client.send(notification))
            } catch {
                proof = LaneProof(.unreachable, "no answer: \(error.text)")
            }
            await client.close(grace: .zero)
            return proof
        } catch {
            return LaneProof(.refused, "\(error)")
        }
    }

    /// What an answer shows.
    ///
    /// Apple does not say in which order APNs checks a request, so an answer about the token acquits nothing that it does not
    /// name.
    static func judge(_ response: APNSResponse) -> LaneProof {
        let word = response.reason?.rawValue ?? "no reason"
        let answer = "\(response.status) \(word)"
        let advice = response.reason.flatMap { APNSAdvice.text(reason: $0.rawValue) }
        let result = APNSResult.answered(
            APNSAnswer(
                status: response.status,
                reason: response.reason,
                timestamp: response.invalidSince,
                retryAfter: response.retryAfter
            )
        )
        let disposition = APNSClassifier.classify(result)
        switch (disposition.lane, disposition.step) {
        case (_, .final(.accepted, _)):
            return LaneProof(
                .open,
                "an impossible device token was accepted: this endpoint is not Apple's, or does not check"
            )
        case (_, .final(.tokenInvalid, _)):
            return LaneProof(
                .proven,
                "APNs refused the impossible device token and nothing else (\(answer)): connection, TLS and HTTP/2 work. "
                    + "Not proven: that the key may send for this topic, for Apple does not say what APNs checks first, "
                    + "and that your apps' tokens belong to this environment"
            )
        case (.refused, _), (_, .final(.rejected, _)):
            return LaneProof(.refused, "APNs refuses the lane (\(answer))" + (advice.map { ": \($0)" } ?? ""))
        default:
            return LaneProof(.open, "APNs did not judge it (\(answer)): try again later")
        }
    }
}
