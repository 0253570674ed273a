import Testing
import WaybillAPNS
import WaybillProviders

struct APNSTopicTests {
    /// Apple's table, spelled a second time.
    static let topics: [(topic: String, app: String)] = [
        ("com.example.parcels", "com.example.parcels"),
        ("com.example.parcels.voip", "com.example.parcels"),
        ("com.example.parcels.voip-ptt", "com.example.parcels"),
        ("com.example.parcels.complication", "com.example.parcels"),
        ("com.example.parcels.pushkit.fileprovider", "com.example.parcels"),
        ("com.example.parcels.location-query", "com.example.parcels"),
        ("com.example.parcels.push-type.liveactivity", "com.example.parcels"),
        ("com.example.parcels.push-type.controls", "com.example.parcels"),
        ("com.example.parcels.push-type.widgets", "com.example.parcels"),
        // One suffix, not two; and no part of a word.
        ("com.example.voip.voip", "com.example.voip"),
        ("com.example.parcelsvoip", "com.example.parcelsvoip"),
        ("com.example.parcels.voip.beta", "com.example.parcels.voip.beta"),
        ("com.example.parcels.VOIP", "com.example.parcels.VOIP"),
        ("com.apple.mgmt.External.0123", "com.apple.mgmt.External.0123"),
        ("com.example.caf\u{E9}.voip", "com.example.caf\u{E9}"),
        (".voip", ".voip"),
        ("", ""),
    ]

    @Test(arguments: topics)
    func theAppIsWhatIsBeforeASuffix(topic: String, app: String) {
        #expect(Array(APNSTopic.app(of: topic).utf8) == Array(app.utf8))
        let suffix = topic.utf8.count == app.utf8.count ? nil : String(topic.dropFirst(app.count))
        #expect(APNSTopic.suffix(of: topic) == suffix)
    }

    @Test(arguments: APNSPushType.known)
    func everyTopicOfAnAppLeadsBackToIt(pushType: APNSPushType) {
        #expect(APNSTopic.app(of: pushType.topic(for: "com.example.parcels")) == "com.example.parcels")
    }

    @Test func noSuffixEndsLikeAnother() {
        for suffix in APNSTopic.suffixes {
            #expect(APNSTopic.suffixes.filter { $0.hasSuffix(suffix) } == [suffix])
        }
    }
}
