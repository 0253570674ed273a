import WaybillAPNS

/// The code of "Send many".
enum BatchSamples {
    static func batch(_ notifications: [APNSNotification], client: APNSClient) async -> (Int, Int, Int) {
        var (accepted, refused, failed) = (0, 0, 0)
        for await outcome in client.send(notifications) {
            switch outcome.result {
            case .success(let response) where response.isAccepted:
                accepted += 1
            case .success(let response):
                refused += 1
                print("number \(outcome.index): \(response)")
            case .failure(let error):
                failed += 1
                print("number \(outcome.index): \(error)")
            }
        }
        return (accepted, refused, failed)
    }

    static func feed(deviceTokens: [String], client: APNSClient) async throws -> Int {
        let template = try APNSNotification(to: deviceTokens[0], .alert("Sale!"))
        let (notifications, continuation) = AsyncStream.makeStream(of: APNSNotification.self)
        for token in deviceTokens { continuation.yield(template.addressed(to: token)) }
        continuation.finish()

        var accepted = 0
        for await outcome in client.send(contentsOf: notifications, atMost: 5000) {
            if case .success(let response) = outcome.result, response.isAccepted { accepted += 1 }
        }
        return accepted
    }

    static func leave(_ notifications: [APNSNotification], client: APNSClient) async -> (sent: Int, takenBack: Int) {
        let batch = client.send(notifications)
        for await outcome in batch {
            // The first answer that says that the key or the topic is wrong is enough.
            if case .success(let response) = outcome.result, response.action == .fixConfiguration { break }
        }

        var (sent, takenBack) = (0, 0)
        for await outcome in batch {
            if case .failure(let error) = outcome.result, error.code == .cancelled {
                takenBack += 1
            } else {
                sent += 1
            }
        }
        return (sent, takenBack)
    }

    static func close(_ client: APNSClient) async {
        await client.close(grace: .seconds(30))
    }
}
