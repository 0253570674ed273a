import Testing

@testable import WaybillDispatcher

struct ConfirmWindowTests {
    private func window(_ elements: [String]) -> ConfirmWindow<String> {
        var window = ConfirmWindow<String>()
        for (position, element) in elements.enumerated() { window.published(element, as: UInt64(position + 1)) }
        return window
    }

    @Test func aConfirmSettlesOneOrAllUpToIt() {
        var window = window(["a", "b", "c", "d"])
        let resolution1 = window.resolve(2, multiple: false, isRefusal: false)
        #expect(resolution1.confirmed == ["b"])
        let resolution2 = window.resolve(3, multiple: true, isRefusal: false)
        #expect(resolution2.confirmed == ["a", "c"])
        #expect(window.count == 1)
        let resolution3 = window.resolve(4, multiple: true, isRefusal: false)
        #expect(resolution3.confirmed == ["d"])
        #expect(window.count == 0)
    }

    @Test func aReturnedPublicationHasFailedAlthoughItIsConfirmed() {
        var window = window(["a", "b"])
        window.returned(1)
        let resolution = window.resolve(2, multiple: true, isRefusal: false)
        #expect(resolution.failed == ["a"])
        #expect(resolution.confirmed == ["b"])
    }

    @Test func aRefusalFailsEverythingItCovers() {
        var window = window(["a", "b", "c"])
        let resolution4 = window.resolve(2, multiple: true, isRefusal: true)
        #expect(resolution4.failed == ["a", "b"])
        #expect(window.count == 1)
    }

    @Test func whatIsOpenWhenTheConnectionEndsComesBackInOrder() {
        var window = window(["a", "b", "c"])
        _ = window.resolve(2, multiple: false, isRefusal: false)
        let resolution5 = window.reset()
        #expect(resolution5 == ["a", "c"])
        #expect(window.count == 0)
        window.published("a", as: 1)
        let resolution6 = window.resolve(1, multiple: false, isRefusal: false)
        #expect(resolution6.confirmed == ["a"])
    }

    @Test func aConfirmOfSomethingUnknownChangesNothing() {
        var window = window(["a"])
        let resolution7 = window.resolve(9, multiple: false, isRefusal: false)
        #expect(resolution7.confirmed.isEmpty)
        #expect(window.count == 1)
    }
}
