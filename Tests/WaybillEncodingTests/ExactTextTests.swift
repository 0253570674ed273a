import Testing
import WaybillEncoding

struct ExactTextTests {
    private static let composed = "caf\u{E9}"
    private static let decomposed = "cafe\u{301}"

    @Test func textsThatLookTheSameAreNotTheSame() {
        #expect(Self.composed == Self.decomposed)
        #expect(!Self.composed.isExactly(Self.decomposed))
        #expect(Self.composed.isExactly("caf\u{E9}"))
        #expect(String?.none.isExactly(nil) && !String?.none.isExactly("") && !String?("").isExactly(nil))
    }

    @Test func whatIsKeptUnderANameIsFoundByItsBytesAlone() {
        #expect([Self.composed].containsExactly(Self.composed))
        #expect(![Self.composed].containsExactly(Self.decomposed))
        let names = Set(exactly: [Self.composed, Self.decomposed, Self.composed])
        #expect(names.sortedTexts.map { Array($0.utf8) } == [Self.decomposed, Self.composed].map { Array($0.utf8) })
        #expect(!Set(exactly: [Self.composed]).containsExactly(Self.decomposed))
        var found: [ExactName: Int] = [ExactName(Self.decomposed): 1]
        #expect(found[Self.decomposed] == 1 && found[Self.composed] == nil && found["b"] == nil)
        found[Self.composed] = 2
        #expect(found[Self.decomposed] == 1 && found[Self.composed] == 2)
    }
}
