import WaybillPushTransport

/// What an operator does about what keeps a lane from sending.
enum ObstacleAdvice {
    private static let again = "It is tried again by itself."

    /// Sentences; `nil` where the network may be at fault.
    static func text(_ kind: PushObstacle.Kind) -> String? {
        switch kind {
        case .network, .token: nil
        case .certificate:
            "Mostly a proxy between here and the push service intercepts TLS: have it let these connections through, or name its "
                + "authority in the lane's trust_file and reload the dispatcher. Look at this machine's clock where the certificate is "
                + "said to have expired. \(again)"
        case .key:
            "Correct service_account_file and reload the dispatcher: the key was deleted or disabled, or this machine's clock is off. "
                + again
        case .clock: "Set this machine's clock: it is too far off for an access token. \(again)"
        }
    }
}
