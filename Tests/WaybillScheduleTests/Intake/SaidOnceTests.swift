import Testing

@testable import WaybillSchedule

@Suite struct SaidOnceTests {
    @Test("a document's trouble is news once, another trouble of it is news again")
    func news() {
        var said = SaidOnce()
        let troubles = [
            ("a", "too large", true), ("a", "too large", false), ("a", "not UTF-8", true), ("b", "too large", true),
            ("a", "not UTF-8", false),
        ]
        for (name, reason, isNew) in troubles {
            let found = said.isNew(name, reason)
            #expect(found == isNew, "\(name) \(reason)")
        }
    }

    @Test("it remembers no more than it has room for")
    func room() {
        var said = SaidOnce()
        for number in 0..<SaidOnce.most { _ = said.isNew("\(number)", "odd") }
        let news = ["one more", "0", "one more"].map { said.isNew($0, "odd") }
        #expect(news == [true, true, false], "with one more all is forgotten")
    }
}
