import Logging
import Synchronization
import Testing

@testable import WaybillTelemetry

private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    var destination: LineDestination { LineDestination { [self] line in lines.withLock { $0.append(line) } } }
}

private struct Parked: TelemetryEvent {
    var name: String { "dispatch.laneParked" }
    var level: Logger.Level { .warning }
    var message: Logger.Message { "The lane is parked" }
    var fields: Logger.Metadata { ["lane": "parcels", "attempts": .stringConvertible(3)] }
}

struct LogHandlerTests {
    @Test func anEventBecomesOneJSONLineWithItsNameAndFields() throws {
        let lines = Lines()
        let logger = Logger(label: "waybill") {
            JSONLogHandler(label: $0, level: .info, destination: lines.destination)
        }
        logger.emit(Parked())
        let line = try #require(lines.all.first)
        #expect(lines.all.count == 1)
        #expect(line.hasPrefix("{\"ts\":\"20"))
        #expect(
            line.hasSuffix(
                "\"level\":\"warning\",\"event\":\"dispatch.laneParked\",\"message\":\"The lane is parked\","
                    + "\"logger\":\"waybill\",\"attempts\":3,\"lane\":\"parcels\"}\n"
            )
        )
    }

    @Test func aLineForAPersonNamesTheEvent() throws {
        let lines = Lines()
        let logger = Logger(label: "waybill") { _ in
            TextLogHandler(level: .info, usesColour: false, destination: lines.destination)
        }
        logger.emit(Parked())
        let line = try #require(lines.all.first)
        #expect(line.dropFirst(8) == " warn  dispatch.laneParked: The lane is parked attempts=3 lane=parcels\n")
    }

    @Test(arguments: [
        (Duration.nanoseconds(119_213_792), "0.119 seconds"), (.seconds(30), "30.0 seconds"), (.zero, "0.0 seconds"),
    ])
    func aPauseHasAtMostThreeDecimals(pause: Duration, text: String) {
        #expect(pause.logText == text)
    }

    @Test func aValueCannotStartALineOfItsOwn() throws {
        let lines = Lines()
        let json = Logger(label: "waybill") { JSONLogHandler(label: $0, level: .info, destination: lines.destination) }
        let text = Logger(label: "waybill") { _ in
            TextLogHandler(level: .info, usesColour: false, destination: lines.destination)
        }
        for logger in [json, text] { logger.info("Said", metadata: ["reason": "a\n{\"level\":\"fake\"}\u{1B}[2J"]) }
        for line in lines.all {
            #expect(line.dropLast().contains("\n") == false)
            #expect(line.contains("\u{1B}") == false)
        }
    }

    @Test func aValueThatIsLongOrHiddenIsShownAsSuch() throws {
        let lines = Lines()
        let json = Logger(label: "waybill") { JSONLogHandler(label: $0, level: .info, destination: lines.destination) }
        let text = Logger(label: "waybill") { _ in
            TextLogHandler(level: .info, usesColour: false, destination: lines.destination)
        }
        struct Long: Error, CustomStringConvertible {
            let description = String(repeating: "y", count: 50_000)
        }
        let reason = "a\u{202e}b\u{200b}" + String(repeating: "x", count: 50_000)
        for logger in [json, text] { logger.info("Said", error: Long(), metadata: ["reason": "\(reason)"]) }
        #expect(lines.all.count == 2)
        for line in lines.all {
            #expect(line.utf8.count < 5_000)
            #expect(line.contains(#"a\u202eb\u200bxxx"#))
            #expect(line.contains("(50004 characters)") && line.contains("(50000 characters)"))
        }
    }

    @Test func linesBelowTheLevelAreNotWritten() {
        let lines = Lines()
        let logger = Logger(label: "waybill") {
            JSONLogHandler(label: $0, level: .error, destination: lines.destination)
        }
        logger.emit(Parked())
        #expect(lines.all.isEmpty)
    }
}
