import Testing
import WaybillEncoding

@testable import WaybillOperations

@Suite("Names that nobody knows")
struct KnownNamesTests {
    @Test(
        "what is unknown is named beside what is known, and nothing where nothing is",
        arguments: [
            (["shopp"], ["shop", "parcels"], ["nobody has a lane shopp; known: parcels, shop"]),
            (["shop"], ["shop"], []), (["shopp"], [], []), ([], ["shop"], []),
            (["a", "shop", "b"], ["shop"], ["nobody has a lane a, b; known: shop"]),
        ] as [([String], Set<ExactName>, [String])]
    )
    func text(names: [String], known: Set<ExactName>, expected: [String]) {
        #expect(KnownNames.text(names, among: known, "nobody has a lane") == expected)
    }

    @Test("of many the first are listed, and how many more there are")
    func many() throws {
        let known = Set(exactly: (10..<35).map { "lane-\($0)" })
        let text = try #require(KnownNames.text(["x"], among: known, "nobody has a lane").first)
        #expect(text.hasSuffix("lane-28, lane-29, and 5 more"))
    }
}
