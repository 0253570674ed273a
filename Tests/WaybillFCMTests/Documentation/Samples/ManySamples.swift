import WaybillFCM

/// The code of "Send many messages".
enum ManySamples {
    static func batch(_ messages: [FCMMessage], with client: FCMClient) async -> (Int, Int, Int) {
        var (accepted, refused, failed) = (0, 0, 0)
        for await end in client.send(messages) {
            switch end.result {
            case .success(let response) where response.isAccepted:
                accepted += 1
            case .success(let response):
                refused += 1
                print("number \(end.index): \(response)")
            case .failure(let error):
                failed += 1
                print("number \(end.index): \(error)")
            }
        }
        return (accepted, refused, failed)
    }

    static func stream(_ messages: AsyncStream<FCMMessage>, with client: FCMClient) async throws -> Int {
        var accepted = 0
        try await client.send(contentsOf: messages, atMost: 500) { end in
            if case .success(let response) = end.result, response.isAccepted { accepted += 1 }
        }
        return accepted
    }

    static func pace(_ configuration: inout FCMConfiguration) {
        configuration.messagesPerSecond = 3000
        configuration.ramp = .seconds(60)
    }

    static func urgent(_ alert: inout FCMMessage) {
        alert.isUrgent = true
    }

    static func close(_ client: FCMClient) async {
        await client.close(grace: .seconds(30))
    }
}
