import FoundationEssentials
import Testing
import WaybillAPNS
import WaybillTestSupport

@Suite("The id of a notification")
struct APNSIDTests {
    @Test("A random id is a version 4 UUID", arguments: [1, 2, 3] as [UInt64])
    func version(seed: UInt64) throws {
        var generator = SplitMix(state: seed)
        for _ in 0..<200 {
            let text = Array(APNSID.random(using: &generator).description)
            #expect(text[14] == "4")
            #expect("89ab".contains(text[19]))
            let id = try #require(UUID(uuidString: String(text)))
            #expect(id.uuidString.lowercased() == String(text))
        }
    }

    @Test("The other 122 bits are the generator's")
    func bits() {
        struct Constant: RandomNumberGenerator {
            let value: UInt64
            mutating func next() -> UInt64 { value }
        }
        var ones = Constant(value: .max)
        var zeros = Constant(value: 0)
        #expect(APNSID.random(using: &ones).description == "ffffffff-ffff-4fff-bfff-ffffffffffff")
        #expect(APNSID.random(using: &zeros).description == "00000000-0000-4000-8000-000000000000")
    }

    @Test("Each notification has one of its own")
    func unique() throws {
        let payload = try APNSPayload(.alert("x"))
        let ids = (0..<1000).map { _ in APNSNotification(to: "ab", payload: payload, pushType: .alert).apnsID }
        #expect(Set(ids).count == 1000)
    }

    @Test("It is coded as its text")
    func coding() throws {
        let id = try #require(APNSID("01234567-89AB-cdef-8123-456789abcdef"))
        let json = try JSONEncoder().encode([id])
        #expect(String(decoding: json, as: UTF8.self) == #"["01234567-89ab-cdef-8123-456789abcdef"]"#)
        #expect(try JSONDecoder().decode([APNSID].self, from: json) == [id])
        for text in [#"["0123"]"#, "[7]", #"["01234567-89ab-cdef-8123-456789abcdeg"]"#] {
            #expect(throws: DecodingError.self) { try JSONDecoder().decode([APNSID].self, from: Data(text.utf8)) }
        }
    }
}
