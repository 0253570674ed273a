import Testing
import WaybillEncoding

@Suite struct JSONNumbersTests {
    @Test(arguments: [
        (#"{"a":[1,-2.5,1e308,0.0e-999]}"#, true), (#"{"a":1e400}"#, false), (#"{"a":[{"b":-1E+400}]}"#, false),
        (#"{"1e400":"1e400 \" 1e400"}"#, true), ("1e400", false), ("[]", true),
        (#"{"a":\#(String(repeating: "9", count: 400))}"#, false), (#"{"a":true,"b":null,"e":false}"#, true),
    ])
    func aNumberIsAFiniteDouble(_ json: String, _ isFinite: Bool) {
        #expect(JSONReader.hasFiniteNumbers(json.utf8) == isFinite)
    }
}
