import WaybillAPNS

/// The code of "Handle outcomes".
enum OutcomeSamples {
    /// What a program does about outcomes; yours to write.
    protocol Desk: Sendable {
        func remove(_ token: String) async
        func suspect(_ token: String, because reason: APNSReason?) async
        func retry(_ notification: APNSNotification, after delay: Duration) async
        func pauseEverything(for delay: Duration) async
        func stopEverything(because reason: APNSReason?) async
        func log(_ line: String) async
    }

    struct Device: Sendable {
        var token: String
        /// When the app told its token, in milliseconds since 1970.
        var registeredAt: Int64?
    }

    static func settle(
        _ response: APNSResponse,
        to notification: APNSNotification,
        for device: Device,
        attempt: Int,
        at desk: some Desk
    ) async {
        switch response.action {
        case .done:
            break
        case .removeToken:
            if response.shouldRemoveToken(registeredAt: device.registeredAt) { await desk.remove(device.token) }
        case .checkToken:
            await desk.suspect(device.token, because: response.reason)
        case .fixNotification:
            await desk.log("\(response)")
        case .fixConfiguration:
            await desk.stopEverything(because: response.reason)
        case .sendLater(let delay):
            await desk.retry(notification, after: grown(delay, attempt: attempt))
        case .pause(let delay):
            await desk.pauseEverything(for: delay)
            await desk.retry(notification, after: grown(delay, attempt: attempt))
        }
    }

    static func send(
        _ notification: APNSNotification,
        to device: Device,
        attempt: Int,
        with client: APNSClient,
        at desk: some Desk
    ) async {
        do {
            let response = try await client.send(notification)
            await settle(response, to: notification, for: device, attempt: attempt, at: desk)
        } catch {
            switch error.fate {
            case .notSent where error.code == .invalidNotification:
                await desk.log("\(error.field ?? "") is not allowed: \(error)")
            case .notSent where error.code == .expired || error.code == .cancelled:
                await desk.log("given up: \(error)")
            case .notSent:
                await desk.retry(notification, after: grown(.seconds(60), attempt: attempt))
            case .unknown:
                await desk.log("nobody knows: \(error)")
            }
        }
    }

    static func allowRepeat(_ notification: inout APNSNotification) {
        notification.collapseID = "parcel-7"
        notification.onUnknown = .resend
    }
}

/// Doubled with each attempt, up to 32 times, with a random part that keeps a fleet from coming back in step.
func grown(_ delay: Duration, attempt: Int) -> Duration {
    delay * (1 << min(attempt, 5)) * Double.random(in: 0.8...1.2)
}
