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
        #expect(Set([Self.composed]).containsExactly(Self.composed))
        #expect(!Set([Self.composed]).containsExactly(Self.decomposed))
        #expect([Self.decomposed: 1].value(exactly: Self.decomposed) == 1)
        #expect([Self.decomposed: 1].value(exactly: Self.composed) == nil)
        #expect([Self.decomposed: 1].value(exactly: "b") == nil)
    }
}
