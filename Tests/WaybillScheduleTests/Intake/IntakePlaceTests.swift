import Testing

@testable import WaybillSchedule

/// Where the next page is looked for, page after page.
@Suite struct IntakePlaceTests {
    private static let whole = IntakePlace.pageSize

    struct Case: CustomTestStringConvertible, Sendable {
        let what: String
        /// How many documents the pages had, and how many of them were left as they are.
        let pages: [(found: Int, left: Int)]
        /// How many are left out in front of the next page.
        let skip: Int
        /// Whether there may be more.
        let isMore: Bool

        var testDescription: String { what }
    }

    static let cases: [Case] = [
        Case(what: "nothing is new", pages: [(0, 0)], skip: 0, isMore: false),
        Case(what: "one cannot be changed", pages: [(1, 1)], skip: 0, isMore: false),
        Case(what: "a whole page was changed", pages: [(whole, 0)], skip: 0, isMore: true),
        Case(what: "three of a whole page cannot be", pages: [(whole, 3)], skip: 3, isMore: true),
        Case(
            what: "nothing of the next page, either",
            pages: [(whole, 3), (whole, whole)],
            skip: 3 + whole,
            isMore: true
        ),
        Case(what: "all of the next page", pages: [(whole, 3), (whole, 0)], skip: 3, isMore: true),
        Case(what: "the end is reached, and it is begun anew", pages: [(whole, 3), (7, 7)], skip: 0, isMore: false),
    ]

    @Test("what cannot be changed is stepped over, until the end is reached", arguments: cases)
    func pages(_ one: Case) {
        var place = IntakePlace()
        var isMore = false
        for page in one.pages { isMore = place.passed(found: page.found, left: page.left) }
        #expect((place.skip, isMore) == (one.skip, one.isMore))
    }
}
