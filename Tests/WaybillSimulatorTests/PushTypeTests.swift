import Testing
import WaybillSimulator

@Suite struct PushTypeTests {
    @Test func knowsElevenTypes() {
        #expect(PushType.all.count == 11)
        #expect(Set(PushType.all.map(\.name)).count == 11)
    }

    @Test(arguments: [
        ("alert", ""), ("background", ""), ("complication", ".complication"), ("controls", ".push-type.controls"),
        ("fileprovider", ".pushkit.fileprovider"), ("liveactivity", ".push-type.liveactivity"),
        ("location", ".location-query"), ("mdm", ""), ("pushtotalk", ".voip-ptt"), ("voip", ".voip"),
        ("widgets", ".push-type.widgets"),
    ])
    func suffix(name: String, suffix: String) throws {
        let type = try #require(PushType.all.first { $0.name == name })
        #expect(type.topicSuffix == suffix)
        #expect(type.payloadLimit == (name == "voip" ? 5120 : 4096))
        #expect(type.priorities == (name == "background" ? [5] : [10, 5, 1]))
    }
}
