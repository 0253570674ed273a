import WaybillAPNS
import WaybillCore
import WaybillProviders

/// The samples as the APNs driver gets them.
enum SampleRequests {
    static let authority = "api.push.apple.com"

    /// As long as a provider token is.
    static let authorization = Array("bearer \(String(repeating: "eyJhbGciOiJFUzI1NiJ9.", count: 9))".utf8)

    static func all() throws -> [APNSRequest] {
        try Samples.batches().flatMap { batch in
            try batch.items.enumerated().map { position, item in
                guard case .valid(let notification) = item.content else {
                    throw MicroError.unexpected("a sample is not valid")
                }
                return APNSRequest(notification, position: position, notAfter: notification.expiration.end)
            }
        }
    }
}
