import WaybillAPNS
import WaybillCore
import WaybillProviders

/// What APNs says when it refuses; an accepted notification has no body to read.
enum AnswerCases {
    static let all = [refusal]

    private static let refusal = MicroCase("refusal", "read the body of a refusal and classify it") { _ in
        let bodies = [
            #"{"reason":"BadDeviceToken"}"#, #"{"reason":"Unregistered","timestamp":1767225600123}"#,
            #"{"reason":"PayloadTooLarge"}"#, #"{"reason":"TooManyRequests"}"#,
        ].map { Array($0.utf8) }
        let statuses = [400, 410, 413, 429]
        return MicroLoop(notifications: Samples.notificationsPerMessage, warmUp: 1) {
            var refused = 0
            for number in 0..<Samples.notificationsPerMessage {
                let kind = number % bodies.count
                let body = bodies[kind].withUnsafeBytes(APNSAnswerBody.init)
                let answer = APNSAnswer(status: statuses[kind], reason: body.reason, timestamp: body.timestamp)
                if APNSClassifier.classify(.answered(answer)).step != .final(.accepted, nil), body.reason != nil {
                    refused += 1
                }
            }
            return refused
        }
    }
}
