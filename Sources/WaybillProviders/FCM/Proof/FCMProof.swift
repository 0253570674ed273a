import WaybillCore
import WaybillFCM

/// A message that FCM only checks (`validate_only`), to a registration token that no device has: nothing is delivered.
enum FCMProof {
    /// Of the form that FCM's tokens have today.
    static let token = String(repeating: "0", count: 22) + ":APA91b" + String(repeating: "0", count: 134)

    private static var message: FCMMessage {
        var message = FCMMessage(to: .token(token), FCMContent())
        message.isValidatedOnly = true
        return message
    }

    static func run(_ setup: LaneSetup, _ settings: FCMLaneSettings, _ patience: SendPatience) async -> LaneProof {
        do {
            var credentials = FCMLaneCredentials()
            var configuration = FCMConfiguration(
                setup,
                settings,
                credentials: try credentials.make(setup),
                sharers: 1,
                patience
            )
            configuration.name = "proof"
            let client = try FCMClient(configuration)
            let proof: LaneProof
            do {
                proof = judge(try await client.send(message))
            } catch {
                proof = LaneProof(.unreachable, "no answer: \(error.text)" + (error.cause.map { ": \($0)" } ?? ""))
            }
            await client.close(grace: .zero)
            return proof
        } catch {
            return LaneProof(.refused, "\(error)")
        }
    }

    /// What an answer shows.
    ///
    /// FCM looks at credential and project before it looks at the message: what it says of token or message acquits them.
    static func judge(_ response: FCMResponse) -> LaneProof {
        let word = response.errorCode?.rawValue ?? response.detail ?? "no reason"
        let advice = FCMAdvice.text(reason: word).map { ": \($0)" } ?? ""
        switch response.action {
        case .none:
            return LaneProof(
                .proven,
                "FCM took a message that it only checked: connection, access token and project work. Not proven: that your "
                    + "apps' tokens belong to this project"
            )
        case .removeToken, .checkToken, .dropMessage:
            guard response.status != 403 else {
                return LaneProof(
                    .proven,
                    "FCM took the access token and refused the impossible token as another project's (\(response)): "
                        + "connection, access token and project work"
                )
            }
            return LaneProof(
                .proven,
                "FCM refused the impossible token and nothing else (\(response)): connection, access token and project work. "
                    + "Not proven: that your apps' tokens belong to this project"
            )
        case .fixConfiguration:
            return LaneProof(.refused, "FCM refuses the lane (\(response.status) \(word))\(advice)")
        case .retryLater:
            return LaneProof(.open, "FCM did not judge it (\(response.status) \(word)): try again later")
        }
    }
}
