import Testing

@testable import Dispatcher

struct ConfirmWindowTests {
    private func window(_ elements: [String]) -> ConfirmWindow<String> {
        var window = ConfirmWindow<String>()
        for (position, element) in elements.enumerated() { window.published(element, as: UInt64(position + 1)) }
        return window
    }

    @Test func aConfirmSettlesOneOrAllUpToIt() {
        var window = window(["a", "b", "c", "d"])
        #expect(window.resolve(2, multiple: false, isRefusal: false).confirmed == ["b"])
        #expect(window.resolve(3, multiple: true, isRefusal: false).confirmed == ["a", "c"])
        #expect(window.count == 1)
        #expect(window.resolve(4, multiple: true, isRefusal: false).confirmed == ["d"])
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
        #expect(window.resolve(2, multiple: true, isRefusal: true).failed == ["a", "b"])
        #expect(window.count == 1)
    }

    @Test func whatIsOpenWhenTheConnectionEndsComesBackInOrder() {
        var window = window(["a", "b", "c"])
        _ = window.resolve(2, multiple: false, isRefusal: false)
        #expect(window.reset() == ["a", "c"])
        #expect(window.count == 0)
        window.published("a", as: 1)
        #expect(window.resolve(1, multiple: false, isRefusal: false).confirmed == ["a"])
    }

    @Test func aConfirmOfSomethingUnknownChangesNothing() {
        var window = window(["a"])
        #expect(window.resolve(9, multiple: false, isRefusal: false).confirmed.isEmpty)
        #expect(window.count == 1)
    }
}
