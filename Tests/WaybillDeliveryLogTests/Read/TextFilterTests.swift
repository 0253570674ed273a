import Testing

@testable import WaybillDeliveryLog

struct TextFilterTests {
    @Test(
        arguments: [
            (["shop"], ["shop"], []), (["!shop"], [], ["shop"]), (["a", "!b", "c", "!d"], ["a", "c"], ["b", "d"]),
            ([#"\!shop"#], ["!shop"], []), (["!!shop"], [], ["!shop"]), ([#"!\shop"#], [], [#"\shop"#]),
            ([#"\\!shop"#], [#"\!shop"#], []), ([#"\\"#], [#"\"#], []), ([#"\shop"#, #"\"#], [#"\shop"#, #"\"#], []),
            // A mark of its own that follows belongs to the character before it: nothing is left out.
            (["!\u{301}a"], [], ["\u{301}a"]),
        ] as [([String], [String], [String])]
    )
    func whatIsTypedIsAValueOrOneToLeaveOut(terms: [String], values: [String], excluded: [String]) {
        var filter = TextFilter.all
        for term in terms {
            let isRead = filter.add(term)
            #expect(isRead, "\(term)")
        }
        #expect(filter.values.map { Array($0.utf8) } == values.map { Array($0.utf8) })
        #expect(filter.excluded.map { Array($0.utf8) } == excluded.map { Array($0.utf8) })
    }

    @Test(arguments: ["", "!"])
    func aTextWithoutAValueIsNone(text: String) {
        var filter = TextFilter(["a"])
        let isRead = filter.add(text)
        #expect(!isRead)
        #expect(filter == "a")
    }

    @Test(
        arguments: [
            (TextFilter.all, nil, true), (.all, "a", true), ("a", "a", true), ("a", nil, false),
            (TextFilter(excluding: ["a"]), "a", false), (TextFilter(excluding: ["a"]), "b", true),
            (TextFilter(excluding: ["a"]), nil, true), (TextFilter(["a", "b"]), "b", true),
            (TextFilter(["a"], excluding: ["a"]), "a", false), (TextFilter(["a"], excluding: ["b"]), nil, false),
        ] as [(TextFilter, String?, Bool)]
    )
    func aRecordIsOfAnyOfTheValuesAndOfNoneLeftOut(filter: TextFilter, value: String?, isIncluded: Bool) {
        #expect(filter.includes(value) == isIncluded)
    }
}
