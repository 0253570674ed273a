import Testing
import WaybillAPNS

@Suite("What an answer means")
struct VerdictTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let status: Int
        let reason: String?
        let verdict: APNSVerdict
        var testDescription: String { "\(status) \(reason ?? "–") is \(verdict)" }

        init(_ status: Int, _ reason: String?, _ verdict: APNSVerdict) {
            self.status = status
            self.reason = reason
            self.verdict = verdict
        }
    }

    /// Every reason of Apple's "Handling notification responses from APNs", and what is not in it.
    static let rows: [Row] = [
        Row(200, nil, .accepted),
        Row(400, "BadCollapseId", .requestRefused),
        Row(400, "BadDeviceToken", .tokenSuspect),
        Row(400, "BadExpirationDate", .requestRefused),
        Row(400, "BadMessageId", .requestRefused),
        Row(400, "BadPriority", .requestRefused),
        Row(400, "BadTopic", .laneFault),
        Row(400, "DeviceTokenNotForTopic", .tokenSuspect),
        Row(400, "DuplicateHeaders", .requestRefused),
        Row(400, "IdleTimeout", .reconnect),
        Row(400, "InvalidPushType", .requestRefused),
        Row(400, "MissingDeviceToken", .requestRefused),
        Row(400, "MissingTopic", .laneFault),
        Row(400, "PayloadEmpty", .requestRefused),
        Row(400, "TopicDisallowed", .laneFault),
        Row(403, "BadCertificate", .laneFault),
        Row(403, "BadCertificateEnvironment", .laneFault),
        Row(403, "ExpiredProviderToken", .providerTokenExpired),
        Row(403, "Forbidden", .laneFault),
        Row(403, "InvalidProviderToken", .laneFault),
        Row(403, "MissingProviderToken", .laneFault),
        Row(403, "UnrelatedKeyIdInToken", .reconnect),
        Row(403, "BadEnvironmentKeyIdInToken", .laneFault),
        Row(403, "BadEnvironmentKeyInToken", .laneFault),
        Row(404, "BadPath", .requestRefused),
        Row(405, "MethodNotAllowed", .requestRefused),
        Row(410, "ExpiredToken", .tokenDead),
        Row(410, "Unregistered", .tokenDead),
        Row(413, "PayloadTooLarge", .requestRefused),
        Row(429, "TooManyProviderTokenUpdates", .providerTokenThrottled),
        Row(429, "TooManyRequests", .tokenThrottled),
        Row(500, "InternalServerError", .serverFault),
        Row(503, "ServiceUnavailable", .serverFault),
        Row(503, "Shutdown", .reconnect),
        // Not documented: the status decides.
        Row(400, "SomethingNew", .requestRefused),
        Row(400, nil, .requestRefused),
        Row(401, nil, .requestRefused),
        Row(403, "SomethingNew", .laneFault),
        Row(410, "SomethingNew", .tokenDead),
        Row(410, nil, .tokenDead),
        Row(418, "SomethingNew", .requestRefused),
        Row(429, nil, .tokenThrottled),
        Row(500, "Shutdown", .serverFault),
        Row(502, nil, .serverFault),
        Row(503, nil, .serverFault),
        Row(599, "SomethingNew", .serverFault),
        Row(302, nil, .requestRefused),
    ]

    @Test("Each documented reason has its verdict", arguments: rows)
    func verdict(row: Row) {
        let answer = APNSAnswer(status: row.status, reason: row.reason.map(APNSReason.init(rawValue:)))
        #expect(answer.verdict == row.verdict)
    }
}
