import Testing
import WaybillCore
import WaybillPrune

@Suite struct PruneDecisionTests {

    @Test(arguments: PruneCases.all)
    func decisions(_ example: PruneCases.Case) {
        #expect(PruneDecision.decide(example.event, example.registration) == example.expected)
    }

    /// Whatever is decided, carrying it out leaves nothing to do for the same event.
    @Test(arguments: PruneCases.all)
    func theSameEventTwiceIsDecidedOnce(_ example: PruneCases.Case) {
        var registration = example.registration ?? DeviceRegistration()
        switch example.expected {
        case .disable, .tombstone: registration.disabledAt = example.event.observedAt
        case .suspect: registration.suspectedAt = example.event.observedAt
        case .newerRegistration, .already: break
        }
        let again = PruneDecision.decide(example.event, registration)
        #expect(again == (example.expected == .newerRegistration ? .newerRegistration : .already))
    }
}
