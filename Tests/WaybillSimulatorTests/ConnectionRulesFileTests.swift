import Testing
import WaybillSimulator

@Suite struct ConnectionRulesFileTests {
    func rule(_ members: String) throws -> SimulatorConnectionRule {
        let rules = try RulesFile.parse(Array(#"{"connections":[{\#(members)}]}"#.utf8))
        return try #require(rules.connections.first)
    }

    @Test func readsWhichConnectionsItTakes() throws {
        var expected = SimulatorConnectionRule(times: 3, skip: 2)
        expected.probability = 0.5
        #expect(try rule(#""times":3,"skip":2,"probability":0.5"#) == expected)
        #expect(try rule("") == SimulatorConnectionRule())
    }

    @Test func readsTheBeginnings() throws {
        #expect(try rule(#""refuse":true"#).refuses)
        #expect(try rule(#""tls":"no_h2""#).handshake == .withoutH2)
        #expect(try rule(#""settings":"silence""#).isSilent)
        let settings =
            #"{"max_concurrent_streams":1,"initial_window_size":2,"max_header_list_size":3,"header_table_size":4,"#
            + #""max_frame_size":16384}"#
        var expected = SettingsRule()
        expected.maxConcurrentStreams = 1
        expected.initialWindowSize = 2
        expected.maxHeaderListSize = 3
        expected.headerTableSize = 4
        expected.maxFrameSize = 16_384
        #expect(try rule(#""settings":\#(settings)"#).settings == expected)
        #expect(try rule(#""initial_streams":7"#).initialStreams == 7)
        #expect(
            try rule(#""max_streams_schedule":[{"after":0,"streams":5},{"after":9,"streams":0}]"#).streamSchedule
                == [.init(after: 0, streams: 5), .init(after: 9, streams: 0)]
        )
    }

    @Test func readsWindows() throws {
        #expect(try rule(#""connection_window":1000"#).connectionWindow == 1000)
        #expect(try rule(#""hold_windows":true"#).windows == .withheld)
        #expect(try rule(#""hold_windows":true,"hold_ms":5"#).windows == .held(.milliseconds(5)))
        #expect(try rule(#""hold_windows":false"#).windows == .regular)
    }

    @Test func readsTheEnds() throws {
        #expect(try rule(#""mute_after":0"#).mutesAfter == 0)
        #expect(try rule(#""unanswered_after":3"#).stopsAnsweringAfter == 3)
        let closing = try rule(#""close_after":5,"tcp_reset":true"#)
        #expect(closing.closesAfter == 5)
        #expect(closing.closesByReset)
        let going = try rule(#""goaway_after":5,"goaway":{"reason":"Shutdown","last_stream":"this"}"#)
        #expect(going.goesAwayAfter == 5)
        #expect(going.goAway == SimulatorGoAway(reason: "Shutdown", lastStream: .this))
        #expect(try rule(#""idle_timeout_ms":5"#).idleTimeout == .milliseconds(5))
        #expect(try rule(#""ping_ms":5"#).pingInterval == .milliseconds(5))
    }

    @Test(arguments: SimulatorConnectionRule.Flood.Frames.allCases)
    func readsFloods(frames: SimulatorConnectionRule.Flood.Frames) throws {
        let flood = try rule(#""flood":{"frames":"\#(frames.rawValue)","count":5}"#).flood
        #expect(flood == SimulatorConnectionRule.Flood(frames, count: 5, after: frames.earliest))
    }

    @Test(arguments: [
        (#""colour":1"#, ".colour"),
        (#""times":0"#, ".times"),
        (#""skip":-1"#, ".skip"),
        (#""probability":2"#, ".probability"),
        (#""refuse":true,"tls":"alert""#, ".tls"),
        (#""refuse":true,"mute_after":1"#, ".mute_after"),
        (#""tls":"slow""#, ".tls"),
        (#""tls":"drop","settings":{}"#, ".settings"),
        (#""settings":"loud""#, ".settings"),
        (#""settings":"silence","goaway_after":1"#, ".goaway_after"),
        (#""settings":{"colour":1}"#, ".settings.colour"),
        (#""settings":{"max_frame_size":1}"#, ".settings.max_frame_size"),
        (#""settings":{"max_concurrent_streams":1},"initial_streams":1"#, ".initial_streams"),
        (#""max_streams_schedule":[{"after":1}]"#, ".max_streams_schedule[0].streams"),
        (
            #""max_streams_schedule":[{"after":1,"streams":1},{"after":1,"streams":2}]"#,
            ".max_streams_schedule[1].after"
        ),
        (#""connection_window":0"#, ".connection_window"),
        (#""hold_ms":5"#, ".hold_ms"),
        (#""tcp_reset":true"#, ".tcp_reset"),
        (#""goaway":{}"#, ".goaway"),
        (#""goaway_after":1,"goaway":{"last_stream":"none"}"#, ".goaway"),
        (#""goaway_after":1,"goaway":{"colour":1}"#, ".goaway.colour"),
        (#""idle_timeout_ms":0"#, ".idle_timeout_ms"),
        (#""flood":{"count":1}"#, ".flood.frames"),
        (#""flood":{"frames":"ping"}"#, ".flood.count"),
        (#""flood":{"frames":"rain","count":1}"#, ".flood.frames"),
        (#""flood":{"frames":"continuation","count":1,"after":0}"#, ".flood.after"),
        (#""flood":{"frames":"window_update","count":1,"after":0}"#, ".flood.after"),
        (#""flood":{"frames":"window_update","count":1},"hold_windows":true"#, ".flood"),
    ])
    func namesWhatIsWrong(members: String, path: String) {
        let text = #"{"connections":[{\#(members)}]}"#
        let error = #expect(throws: RulesFileError.self) { try RulesFile.parse(Array(text.utf8)) }
        #expect(error?.path == "connections[0]" + path)
    }
}
