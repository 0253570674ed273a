import Testing
import WaybillEncoding

@Suite("JSON on one line")
struct JSONObjectTests {
    @Test("JSON lines keep their members' order and leave absent ones out")
    func json() {
        var inner = JSONObject()
        inner.add("n", 1.5)
        var object = JSONObject()
        object.add("b", "a\"\n\u{1}")
        object.add("a", 2)
        object.add("none", nil as String?)
        object.add("flag", false)
        object.add("inner", inner)
        #expect(object.text == #"{"b":"a\"\n\u0001","a":2,"flag":false,"inner":{"n":1.5}}"#)
    }

    @Test("lists, and objects in them")
    func lists() {
        var inner = JSONObject()
        inner.add("n", 1)
        var object = JSONObject()
        object.add("texts", ["a", "\""])
        object.add("objects", [inner, JSONObject()])
        object.add("none", [] as [String])
        #expect(object.text == #"{"texts":["a","\""],"objects":[{"n":1},{}],"none":[]}"#)
    }
}
