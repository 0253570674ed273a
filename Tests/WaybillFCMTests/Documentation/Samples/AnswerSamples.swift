import WaybillFCM

/// The code of "Handle answers".
enum AnswerSamples {
    /// Who acts on what the samples decide.
    protocol Office: Sendable {
        func remove(_ target: FCMTarget) async
        func suspect(_ target: FCMTarget) async
        func retry(_ message: FCMMessage, after delay: Duration) async
        func slowDown() async
        func stopEverything(because response: FCMResponse) async
        func log(_ line: String) async
    }

    static func send(
        _ message: FCMMessage,
        registeredAt: Int64?,
        sentAt: Int64,
        with client: FCMClient,
        by office: some Office
    ) async {
        do {
            let response = try await client.send(message)
            await settle(response, of: message, registeredAt: registeredAt, sentAt: sentAt, by: office)
        } catch {
            switch error.fate {
            case .notSent where error.code == .invalidMessage:
                await office.log("\(error.field ?? "") is not allowed: \(error)")
            case .notSent where error.code == .expired || error.code == .cancelled:
                await office.log("given up: \(error)")
            case .notSent:
                await office.retry(message, after: .seconds(60))
            case .unknown:
                await office.log("nobody knows: \(error)")
            }
        }
    }

    static func settle(
        _ response: FCMResponse,
        of message: FCMMessage,
        registeredAt: Int64?,
        sentAt: Int64,
        by office: some Office
    ) async {
        switch response.action {
        case .none:
            break
        case .removeToken:
            if registeredAt.map({ $0 < sentAt }) ?? true { await office.remove(message.target) }
        case .checkToken:
            await office.suspect(message.target)
        case .dropMessage:
            await office.log("\(response) \(response.violations)")
        case .fixConfiguration:
            await office.stopEverything(because: response)
        case .retryLater(let scope):
            await office.retry(message, after: response.retryAfter ?? .seconds(60))
            if scope == .project { await office.slowDown() }
        }
    }

    static func allowRepeat(_ message: inout FCMMessage) {
        message.onUnknown = .resend
    }
}
