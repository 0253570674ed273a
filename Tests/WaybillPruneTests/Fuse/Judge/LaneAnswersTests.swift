import Testing
import WaybillDeviceRegistry

@testable import WaybillPrune

/// Which minutes are asked for.
@Suite struct LaneAnswersTests {
    private static let windows: [(Set<Int64>, [Range<Int64>])] = [
        ([], []), ([1000], [991..<1001]), ([1000, 1003], [991..<1004]), ([1000, 1069], [991..<1070]),
        ([1000, 1070], [991..<1001, 1061..<1071]), ([500_000, 1000, 1001], [991..<1002, 499_991..<500_001]),
    ]

    @Test("nobody reads what lies between minutes that are far apart", arguments: windows)
    func ranges(ends: Set<Int64>, ranges: [Range<Int64>]) {
        #expect(LaneAnswers.ranges(endingWith: ends, window: 10) == ranges)
    }

    /// By topic, whether the app of it has it among its own.
    private static let topics = [
        "com.example.app", "com.example.app.voip", "com.example.app.pushkit.fileprovider", ".voip", "a-project",
    ]

    @Test("an app is asked for by all topics that are of it", arguments: topics)
    func topicsOfAnApp(topic: String) {
        #expect(FuseName.topics(ofApp: FuseName.app(ofTopic: topic)).contains(topic))
    }
}
