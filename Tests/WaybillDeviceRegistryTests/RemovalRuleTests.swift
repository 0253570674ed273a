import Testing
import WaybillAPNS
import WaybillCore
import WaybillDeviceRegistry
import WaybillDeviceRegistryTestSupport

struct RemovalRuleTests {
    @Test(arguments: RemovalCases.all)
    func decisions(_ example: RemovalCases.Case) {
        #expect(RemovalRule.decide(example.event, example.registration) == example.expected)
    }

    /// Whatever is decided, carrying it out leaves nothing to do for the same event.
    @Test(arguments: RemovalCases.all)
    func theSameEventTwiceIsDecidedOnce(_ example: RemovalCases.Case) {
        var registration = example.registration ?? DeviceRegistration()
        switch example.expected {
        case .disable, .tombstone: registration.disabledAt = example.event.observedAt
        case .suspect: registration.suspectedAt = example.event.observedAt
        case .newerRegistration, .already: break
        }
        let again = RemovalRule.decide(example.event, registration)
        #expect(again == (example.expected == .newerRegistration ? .newerRegistration : .already))
    }

    /// The library gives its callers the same rule.
    @Test(arguments: RemovalCases.all.filter { $0.event.verdict == .dead })
    func theLibraryRemovesWhatTheRegistryDisables(_ example: RemovalCases.Case) throws {
        guard let registration = example.registration, registration.disabledAt == nil else { return }
        let response = APNSResponse(
            apnsID: APNSID(high: 1, low: 2),
            status: example.event.statusCode,
            reason: APNSReason(rawValue: example.event.reason),
            invalidSince: example.event.invalidSince
        )
        #expect(
            response.shouldRemoveToken(registeredAt: registration.registeredAt) == (example.expected == .disable)
        )
    }
}
