package import WaybillPushTransport
import WaybillThreads

extension APNSProviderTokenSource: PushTokenSource {
    package func token(at now: ClockReading, whenReady: @escaping @Sendable () -> Void) -> TokenAvailability {
        do {
            guard let token = try current(at: now, whenReady: whenReady) else {
                return .pending("the key's signer has not answered yet")
            }
            return .token(PushToken(serial: token.serial, authorization: token.authorization))
        } catch {
            return .none(error.text, retryAt: retryTime)
        }
    }

    package var problem: String? { lastFailure?.text }
}
