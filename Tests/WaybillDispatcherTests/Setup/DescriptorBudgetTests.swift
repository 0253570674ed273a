import Testing

@testable import WaybillDispatcher

struct DescriptorBudgetTests {
    @Test(arguments: [
        // There is room for all.
        ([2], 1024, [2]), ([64, 64, 2], 1024, [64, 64, 2]), ([64], 64 + DescriptorBudget.reserved, [64]),
        ([2], .max, [2]),
        // The largest wishes are cut down, the small ones stay.
        ([64], 64, [32]), ([64], 40, [8]), ([64, 2], 42, [8, 2]), ([64, 20, 1], 42, [4, 4, 1]),
        // Each lane has one, also where there is room for none.
        ([64], 20, [1]), ([2, 2, 2], 33, [1, 1, 1]), ([], 20, []),
    ])
    func theLanesShareWhatTheServersLeave(wanted: [Int], limit: Int, allowed: [Int]) {
        #expect(DescriptorBudget.share(wanted, limit: limit) == allowed)
    }

    @Test func thisProcessHasALimit() {
        #expect(DescriptorBudget.limit > DescriptorBudget.reserved)
    }
}
