import Testing
import WaybillHTTP2

@testable import WaybillSimulator

/// What leaves a connection of the simulator: HTTP/2's own frames first, changed by a rule, and ours behind them.
@Suite struct ConnectionOutputTests {
    private static let settingsType: UInt8 = 4
    private static let goAwayType: UInt8 = 7
    private static let windowUpdateType: UInt8 = 8

    /// A server's session that has its SETTINGS to send, and a WINDOW_UPDATE of three bytes.
    private static func makeSession(_ delegate: DeafDelegate) throws -> HTTP2Session {
        var options = HTTP2Session.Options()
        options.connectionWindow = 65_535 + 3
        return try HTTP2Session(role: .server, options: options, delegate: delegate)
    }

    private static func types(_ frames: [UInt8]) -> [UInt8] { FrameRun(frames[...]).map(\.type) }

    private static func windowUpdate(_ increment: UInt8) -> [UInt8] {
        [0, 0, 4, windowUpdateType, 0, 0, 0, 0, 0, 0, 0, 0, increment]
    }

    @Test func framesOfOursFollowThoseOfTheSession() throws {
        let delegate = DeafDelegate()
        let session = try Self.makeSession(delegate)
        var output = ConnectionOutput()
        output.append(raw: Self.windowUpdate(9))
        #expect(output.isEmpty)
        #expect(try !output.take(from: session) { _ in })
        #expect(Self.types(output.bytes) == [Self.settingsType, Self.windowUpdateType])
        #expect(output.bytes.suffix(4) == [0, 0, 0, 3])
        // Only when the session has nothing more to say; what was taken before has gone out by then.
        var rest = ConnectionOutput()
        rest.append(raw: Self.windowUpdate(9))
        #expect(try !rest.take(from: session) { _ in })
        #expect(rest.bytes == Self.windowUpdate(9))
    }

    @Test(
        arguments: [
            (.pass, windowUpdate(3), false, []), (.keep, [], true, windowUpdate(3)),
            (.crumble, windowUpdate(1) + windowUpdate(1) + windowUpdate(1), false, []),
        ] as [(OutgoingFilter.WindowUpdates, [UInt8], Bool, [UInt8])]
    )
    func aRuleChangesWhatLeaves(
        windowUpdates: OutgoingFilter.WindowUpdates,
        passed: [UInt8],
        beginsToHold: Bool,
        held: [UInt8]
    ) throws {
        let delegate = DeafDelegate()
        let session = try Self.makeSession(delegate)
        var settings: [UInt8] = []
        try session.drain(into: &settings, limit: 1)
        #expect(Self.types(settings) == [Self.settingsType])
        var output = ConnectionOutput()
        output.apply(OutgoingFilter(windowUpdates))
        #expect(try output.take(from: session) { _ in } == beginsToHold)
        #expect(output.bytes == passed)
        guard output.isEmpty else { return }
        output.releaseHeldFrames()
        #expect(try !output.take(from: session) { _ in })
        #expect(output.bytes == held)
    }

    @Test func theJournalHearsWhatTheSessionSays() throws {
        let delegate = DeafDelegate()
        let session = try Self.makeSession(delegate)
        session.submitGoAway(lastStream: 0, errorCode: 11, debugData: [])
        var output = ConnectionOutput()
        var notices: [SentFrames.Notice] = []
        _ = try output.take(from: session) { notices.append($0) }
        #expect(Self.types(output.bytes).last == Self.goAwayType)
        #expect(notices == [.goAway(code: 11, isStreamLimit: false)])
    }
}

/// Listens to nothing.
private final class DeafDelegate: HTTP2Delegate {
    func headersBegan(stream: Int32) {}
    func header(stream: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {}
    func headersEnded(stream: Int32, endStream: Bool) {}
    func data(stream: Int32, bytes: UnsafeRawBufferPointer) {}
    func streamEnded(stream: Int32) {}
    func streamClosed(stream: Int32, errorCode: UInt32) {}
    func requestSent(stream: Int32) {}
    func settingsReceived() {}
    func goAway(lastStream: Int32, errorCode: UInt32, debugData: UnsafeRawBufferPointer) {}
    func pingAcknowledged(_ opaque: UInt64) {}
}
