import Testing
import WaybillDeviceRegistry

@testable import WaybillPrune

struct PruneControlTests {
    /// Whoever has decided is not told that a decision is waited for.
    @Test(arguments: [(true, "waits for a person to decide"), (false, "carries out what was decided")])
    func whatIsWaitedForWhereThereIsNoRoomGoesByTheFuses(isBlown: Bool, words: String) {
        let control = PruneControl()
        let name = FuseName(lane: "parcels", app: "com.example.parcels")
        control.fuses = [FuseView(name: name, isBlown: isBlown, held: 50)]
        #expect(control.waitForRoom.hasPrefix(words))
    }
}
