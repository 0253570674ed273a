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
        var registration = example.registration
        switch example.expected {
        case .disable: registration?.isEnabled = false
        case .tombstone: registration = DeviceRegistration(isEnabled: false)
        case .suspect: registration?.suspectedAt = example.event.observedAt
        case .unknownDevice, .newerRegistration, .already: break
        }
        #expect(RemovalRule.decide(example.event, registration) == example.expected.again)
    }

    /// The library gives its callers the same rule.
    @Test(arguments: RemovalCases.all.filter { $0.event.verdict == .dead })
    func theLibraryRemovesWhatTheRegistryDisables(_ example: RemovalCases.Case) throws {
        guard let registration = example.registration, registration.isEnabled else { return }
        let response = APNSResponse(
            apnsID: APNSID(high: 1, low: 2),
            status: example.event.statusCode,
            reason: APNSReason(rawValue: example.event.reason),
            invalidSince: example.event.invalidSince
        )
        #expect(
            response.shouldRemoveToken(registeredAt: registration.lastWord) == (example.expected == .disable)
        )
    }
}

extension Removal {
    /// What is decided about the same event after this was carried out.
    var again: Removal {
        switch self {
        case .disable, .tombstone, .suspect, .already: .already
        case .unknownDevice, .newerRegistration: self
        }
    }
}
