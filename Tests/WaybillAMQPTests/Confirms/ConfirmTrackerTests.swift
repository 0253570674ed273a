import Testing
import WaybillAMQP

struct ConfirmTrackerTests {
    private func tracker(_ elements: [String]) -> ConfirmTracker<String> {
        var tracker = ConfirmTracker<String>()
        for (position, element) in elements.enumerated() { tracker.published(element, as: UInt64(position + 1)) }
        return tracker
    }

    @Test func aConfirmSettlesOneOrAllUpToIt() {
        var tracker = tracker(["a", "b", "c", "d"])
        let resolution1 = tracker.resolve(2, multiple: false, isRefusal: false)
        #expect(resolution1.confirmed == ["b"])
        let resolution2 = tracker.resolve(3, multiple: true, isRefusal: false)
        #expect(resolution2.confirmed == ["a", "c"])
        #expect(tracker.count == 1)
        let resolution3 = tracker.resolve(4, multiple: true, isRefusal: false)
        #expect(resolution3.confirmed == ["d"])
        #expect(tracker.count == 0)
    }

    @Test func aReturnedPublicationHasFailedAlthoughItIsConfirmed() {
        var tracker = tracker(["a", "b"])
        tracker.returned(1)
        let resolution = tracker.resolve(2, multiple: true, isRefusal: false)
        #expect(resolution.failed == ["a"])
        #expect(resolution.confirmed == ["b"])
    }

    @Test func aRefusalFailsEverythingItCovers() {
        var tracker = tracker(["a", "b", "c"])
        let resolution4 = tracker.resolve(2, multiple: true, isRefusal: true)
        #expect(resolution4.failed == ["a", "b"])
        #expect(tracker.count == 1)
    }

    @Test func whatIsOpenWhenTheConnectionEndsComesBackInOrder() {
        var tracker = tracker(["a", "b", "c"])
        _ = tracker.resolve(2, multiple: false, isRefusal: false)
        let resolution5 = tracker.reset()
        #expect(resolution5 == ["a", "c"])
        #expect(tracker.count == 0)
        tracker.published("a", as: 1)
        let resolution6 = tracker.resolve(1, multiple: false, isRefusal: false)
        #expect(resolution6.confirmed == ["a"])
    }

    @Test func aConfirmOfSomethingUnknownChangesNothing() {
        var tracker = tracker(["a"])
        let resolution7 = tracker.resolve(9, multiple: false, isRefusal: false)
        #expect(resolution7.confirmed.isEmpty)
        #expect(tracker.count == 1)
    }

    @Test func lateAndRepeatedConfirmsChangeNothing() {
        var tracker = tracker(["a", "b", "c", "d", "e"])
        _ = tracker.resolve(4, multiple: true)
        for (sequence, multiple) in [(3, true), (4, false), (4, true), (0, true)] as [(UInt64, Bool)] {
            let late = tracker.resolve(sequence, multiple: multiple)
            #expect(late.confirmed.isEmpty && late.failed.isEmpty)
        }
        let last = tracker.resolve(5, multiple: true)
        #expect(last.confirmed == ["e"])
    }

    /// A broker that confirms more than was published says nothing of what is published next.
    @Test func aConfirmBeyondTheLastPublicationIsForgotten() {
        var tracker = tracker(["a"])
        let first = tracker.resolve(3, multiple: true)
        #expect(first.confirmed == ["a"])
        tracker.published("b", as: 2)
        let second = tracker.resolve(2, multiple: true)
        #expect(second.confirmed == ["b"])
    }

    /// What another run can leave out: everything in front of the first gap.
    @Test(
        arguments: [
            ([], 0), ([(1, false, false)], 1), ([(2, false, false)], 0), ([(2, true, false)], 2),
            ([(2, false, false), (1, false, false)], 2), ([(4, true, false)], 4),
            ([(1, false, false), (2, false, true), (4, true, false)], 1), ([(1, false, true), (4, true, false)], 0),
        ] as [([(UInt64, Bool, Bool)], Int)]
    )
    func theConfirmedOnesInFrontOfTheFirstGap(answers: [(UInt64, Bool, Bool)], leading: Int) {
        var tracker = tracker(["a", "b", "c", "d"])
        for (sequence, multiple, isRefusal) in answers {
            _ = tracker.resolve(sequence, multiple: multiple, isRefusal: isRefusal)
        }
        #expect(tracker.leading == leading)
    }
}
