import WaybillAPNS
import WaybillPushTransport
import WaybillThreads

extension APNSProviderTokenSource {
    /// A refusal that comes as soon as its request is sent.
    func refused(
        serial: Int,
        _ refusal: TokenRefusal,
        at now: ClockReading,
        whenReady: @escaping @Sendable () -> Void
    ) -> TokenProspect {
        refused(serial: serial, refusal, sentAt: now.monotonic, at: now, whenReady: whenReady)
    }
}
