import Testing
import WaybillCore
import WaybillDeviceRegistry

@testable import WaybillPrune

/// For how many events there is room, with a hundred at the most.
@Suite struct HeldCountTests {
    /// What was counted of each fuse, what was put aside since, what is to be, and whether there is room for it.
    private static let cases: [([Int], Int, Int, Bool)] = [
        ([], 0, 100, true), ([], 0, 101, false), ([60, 30], 0, 10, true), ([60, 30], 0, 11, false),
        ([60], 30, 10, true), ([60], 30, 11, false), ([60], 60, 1, false), ([60], 60, 0, true),
    ]

    @Test("there is room up to the most, and for none there always is", arguments: cases)
    func room(counted: [Int], since: Int, more: Int, hasRoom: Bool) {
        let control = PruneControl()
        control.fuses = counted.enumerated().map { number, held in
            FuseView(name: FuseName(lane: "\(number)", app: "a"), isBlown: true, held: held)
        }
        let held = HeldCount(policy: FusePolicy(mostHeld: 100), control: control)
        held.add(since)
        #expect(held.hasRoom(for: more) == hasRoom)
    }
}
