import Testing

@testable import WaybillHTTP2

/// One end of a connection in memory: keeps what it hears.
private final class End: HTTP2Delegate {
    var session: HTTP2Session!
    var headers: [Int32: [(name: String, value: String)]] = [:]
    var bodies: [Int32: [UInt8]] = [:]
    var ended: [Int32] = []
    var closed: [Int32: UInt32] = [:]
    var sent: [Int32] = []
    /// Where each request ended among the bytes drained.
    var ends: [UInt64] = []
    var settings = 0
    var goAways: [(last: Int32, code: UInt32, debug: String)] = []
    var pings: [UInt64] = []
    /// Called when the peer has ended a stream; gets the session, so that it need not keep the end alive.
    var onEnd: ((HTTP2Session, Int32) throws -> Void)?

    init(_ role: HTTP2Session.Role, _ options: HTTP2Session.Options = .init()) throws {
        session = try HTTP2Session(role: role, options: options, delegate: self)
    }

    func headersBegan(stream: Int32) {}
    func header(stream: Int32, name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        headers[stream, default: []].append(
            (String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
        )
    }
    func headersEnded(stream: Int32, endStream: Bool) {}
    func data(stream: Int32, bytes: UnsafeRawBufferPointer) { bodies[stream, default: []] += bytes }
    func streamEnded(stream: Int32) {
        ended.append(stream)
        do { try onEnd?(session, stream) } catch { Issue.record(error) }
    }
    func streamClosed(stream: Int32, errorCode: UInt32) { closed[stream] = errorCode }
    func requestSent(stream: Int32) {
        sent.append(stream)
        ends.append(session.requestEnd)
    }
    func settingsReceived() { settings += 1 }
    func goAway(lastStream: Int32, errorCode: UInt32, debugData: UnsafeRawBufferPointer) {
        goAways.append((lastStream, errorCode, String(decoding: debugData, as: UTF8.self)))
    }
    func pingAcknowledged(_ opaque: UInt64) { pings.append(opaque) }

    func value(_ name: String, on stream: Int32) -> String? { headers[stream]?.first { $0.name == name }?.value }
}

/// Two ends and the bytes between them.
private struct Wire {
    let client: End
    let server: End

    init(_ options: HTTP2Session.Options = .init()) throws {
        client = try End(.client)
        server = try End(.server, options)
        try settle()
    }

    /// Carries bytes until neither end has anything to say.
    @discardableResult
    func settle(limit: Int = 1 << 20) throws -> (toServer: [UInt8], toClient: [UInt8]) {
        var toServer: [UInt8] = []
        var toClient: [UInt8] = []
        while true {
            var up: [UInt8] = []
            var down: [UInt8] = []
            try client.session.drain(into: &up, limit: limit)
            try up.withUnsafeBytes { try server.session.receive($0) }
            try server.session.drain(into: &down, limit: limit)
            try down.withUnsafeBytes { try client.session.receive($0) }
            if up.isEmpty, down.isEmpty { return (toServer, toClient) }
            toServer += up
            toClient += down
        }
    }

    static func request(path: String = "/3/device/ab", extra: [(StaticString, String, Bool)] = []) -> HTTP2HeaderBlock {
        let block = HTTP2HeaderBlock()
        block.append(":method", "POST", indexed: true)
        block.append(":scheme", "https", indexed: true)
        block.append(":path", path, indexed: false)
        block.append(":authority", "localhost", indexed: true)
        for (name, value, indexed) in extra { block.append(name, value, indexed: indexed) }
        return block
    }

    static func response(_ status: String) -> HTTP2HeaderBlock {
        let block = HTTP2HeaderBlock()
        block.append(":status", status, indexed: true)
        return block
    }
}

struct HTTP2SessionTests {
    @Test func aRequestAndItsResponsePass() throws {
        let wire = try Wire()
        wire.server.onEnd = { session, stream in
            try session.submitResponse(
                stream: stream,
                Wire.response("410"),
                body: Array("{\"reason\":1}".utf8)
            )
        }
        let stream = try wire.client.session.submitRequest(Wire.request(), body: Array("hello".utf8)[1...])
        #expect(wire.client.sent.isEmpty)
        try wire.settle()
        #expect(wire.client.sent == [stream])
        #expect(wire.server.value(":path", on: stream) == "/3/device/ab")
        #expect(wire.server.bodies[stream] == Array("ello".utf8))
        #expect(wire.client.value(":status", on: stream) == "410")
        #expect(wire.client.bodies[stream] == Array("{\"reason\":1}".utf8))
        #expect(wire.client.closed[stream] == 0)
        #expect(wire.client.session.openStreams == 0)
        #expect(wire.server.session.openStreams == 0)
    }

    @Test func aBodyLargerThanTheWindowsArrivesWhole() throws {
        var options = HTTP2Session.Options()
        options.initialWindow = 1000
        options.connectionWindow = 65_535
        let wire = try Wire(options)
        let body = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 * 13) }
        let first = try wire.client.session.submitRequest(Wire.request(), body: body[...])
        let second = try wire.client.session.submitRequest(Wire.request(), body: body[...])
        try wire.settle()
        #expect(wire.server.bodies[first] == body)
        #expect(wire.server.bodies[second] == body)
    }

    @Test func aThousandStreamsGatherIntoFewDrains() throws {
        let wire = try Wire()
        wire.server.onEnd = { try $0.submitResponse(stream: $1, Wire.response("200"), body: []) }
        for number in 0..<1000 {
            _ = try wire.client.session.submitRequest(Wire.request(path: "/3/device/\(number)"), body: [1, 2, 3])
        }
        var gathered: [UInt8] = []
        try wire.client.session.drain(into: &gathered, limit: 4096)
        #expect(gathered.count >= 4096)
        try gathered.withUnsafeBytes { try wire.server.session.receive($0) }
        #expect(wire.server.headers.count > 10)
        try wire.settle(limit: 16_384)
        #expect(wire.client.closed.count == 1000)
        #expect(wire.client.closed.values.allSatisfy { $0 == 0 })
        #expect(Set(wire.server.headers.keys.compactMap { wire.server.value(":path", on: $0) }).count == 1000)
    }

    @Test func theStreamLimitIsSeenUpAndDown() throws {
        var options = HTTP2Session.Options()
        options.maxConcurrentStreams = 1
        let wire = try Wire(options)
        #expect(wire.client.session.remoteMaxConcurrentStreams == 1)
        for limit in [1000, 10, 0, 500] as [UInt32] {
            let before = wire.client.settings
            wire.server.session.submitSettings([(id: 3, value: limit)])
            try wire.settle()
            #expect(wire.client.settings == before + 1)
            #expect(wire.client.session.remoteMaxConcurrentStreams == Int(limit))
        }
    }

    @Test func goAwayResetAndPingAreHeard() throws {
        let wire = try Wire()
        let stream = try wire.client.session.submitRequest(Wire.request(), body: [])
        try wire.settle()
        wire.server.session.reset(stream: stream, errorCode: 7)
        wire.client.session.submitPing(0x0123_4567_89AB_CDEF)
        try wire.settle()
        #expect(wire.client.closed[stream] == 7)
        #expect(wire.client.pings == [0x0123_4567_89AB_CDEF])
        let reason = #"{"reason":"Shutdown"}"#
        wire.server.session.submitGoAway(lastStream: stream, errorCode: 0, debugData: Array(reason.utf8))
        try wire.settle()
        #expect(wire.client.goAways.first?.last == stream)
        #expect(wire.client.goAways.first?.debug == reason)
        // A request that comes too late closes without ever having been sent.
        let late = try wire.client.session.submitRequest(Wire.request(), body: [1])
        try wire.settle()
        #expect(wire.client.sent == [stream])
        #expect(wire.client.closed[late].map { $0 != 0 } == true)
        #expect(wire.client.session.openStreams == 0)
        #expect(wire.server.headers[late] == nil)
    }

    @Test func streamsAboveTheLastOneOfAGoAwayAreGivenBackAndTheOthersGoOn() throws {
        let wire = try Wire()
        let streams = try (0..<3).map { _ in try wire.client.session.submitRequest(Wire.request(), body: [1]) }
        try wire.settle()
        wire.server.session.submitGoAway(lastStream: streams[0], errorCode: 0, debugData: [])
        try wire.settle()
        #expect(wire.client.closed == [streams[1]: 7, streams[2]: 7])
        #expect(wire.client.session.openStreams == 1)
        try wire.server.session.submitResponse(stream: streams[0], Wire.response("200"), body: [])
        try wire.settle()
        #expect(wire.client.value(":status", on: streams[0]) == "200")
        #expect(wire.client.closed[streams[0]] == 0)
        #expect(!wire.client.session.wantsRead)
    }

    @Test func moreRequestsThanTheLimitWaitForStreams() throws {
        var options = HTTP2Session.Options()
        options.maxConcurrentStreams = 2
        let wire = try Wire(options)
        for _ in 0..<5 { _ = try wire.client.session.submitRequest(Wire.request(), body: [1]) }
        try wire.settle()
        #expect(wire.client.sent == [1, 3])
        #expect(wire.server.session.openStreams == 2)
        wire.server.onEnd = { try $0.submitResponse(stream: $1, Wire.response("200"), body: []) }
        for stream in [1, 3] as [Int32] { try wire.server.onEnd?(wire.server.session, stream) }
        try wire.settle()
        #expect(wire.client.sent == [1, 3, 5, 7, 9])
        #expect(wire.client.closed.count == 5)
    }

    @Test func aRequestThatIsResetBeforeItIsDrainedIsNeverSent() throws {
        let wire = try Wire()
        let stream = try wire.client.session.submitRequest(Wire.request(), body: [1])
        wire.client.session.reset(stream: stream, errorCode: 8)
        try wire.settle()
        #expect(wire.client.sent.isEmpty)
        #expect(wire.client.closed == [stream: 8])
        #expect(wire.client.session.openStreams == 0)
        #expect(wire.server.headers.isEmpty)
    }

    @Test func aResponseToAClosedStreamIsRefusedAndTheSessionGoesOn() throws {
        let wire = try Wire()
        let stream = try wire.client.session.submitRequest(Wire.request(), body: [1])
        try wire.settle()
        wire.client.session.reset(stream: stream, errorCode: 8)
        try wire.settle()
        #expect(wire.server.closed == [stream: 8])
        let error = try #require(throws: HTTP2Error.self) {
            try wire.server.session.submitResponse(stream: stream, Wire.response("200"), body: [1])
        }
        #expect(!error.closesConnection)
        wire.server.onEnd = { try $0.submitResponse(stream: $1, Wire.response("200"), body: [2]) }
        let next = try wire.client.session.submitRequest(Wire.request(), body: [1])
        try wire.settle()
        #expect(wire.client.bodies[next] == [2])
    }

    @Test func settingsThatTheProtocolForbidsAreRefused() {
        var options = HTTP2Session.Options()
        options.initialWindow = .max
        #expect(throws: HTTP2Error.self) { try End(.client, options) }
    }

    @Test func anIndexedValueShrinksToAReferenceAndAnUnindexedOneDoesNot() throws {
        let wire = try Wire()
        func size(_ value: String, indexed: Bool) throws -> Int {
            _ = try wire.client.session.submitRequest(Wire.request(extra: [("apns-topic", value, indexed)]), body: [])
            return try wire.settle().toServer.count
        }
        let value = "com.example.a-rather-long-topic-name"
        let first = try size(value, indexed: true)
        #expect(try size(value, indexed: true) < first - 20)
        let other = "com.example.another-quite-long-topic"
        let plain = try size(other, indexed: false)
        #expect(try size(other, indexed: false) == plain)
    }

    @Test func aHeaderBlockIsUsedAgainWithoutATrace() throws {
        let wire = try Wire()
        let block = Wire.request(extra: [("apns-id", "old", false)])
        block.removeAll()
        #expect(block.count == 0)
        block.append(":method", "GET", indexed: true)
        block.append(":scheme", "https", indexed: true)
        block.append(":path", count: 4, indexed: false) { $0.copyBytes(from: "/new".utf8) }
        block.append(":authority", Array("host".utf8)[...], indexed: true)
        let stream = try wire.client.session.submitRequest(block, body: [])
        try wire.settle()
        #expect(wire.server.headers[stream]?.map(\.name) == [":method", ":scheme", ":path", ":authority"])
        #expect(wire.server.value(":path", on: stream) == "/new")
    }

    @Test(arguments: [0, 900, 1_024, 3_000])
    func headersStayWhatTheyAreWhileTheirBlockGrows(size: Int) throws {
        let wire = try Wire()
        let long = String(repeating: "x", count: size)
        let block = Wire.request(extra: [("apns-id", "before", false), ("long", long, false), ("empty", "", false)])
        block.append("last", Array("after".utf8), indexed: false)
        let stream = try wire.client.session.submitRequest(block, body: [])
        try wire.settle()
        #expect(wire.server.value(":path", on: stream) == "/3/device/ab")
        #expect(wire.server.value("apns-id", on: stream) == "before")
        #expect(wire.server.value("long", on: stream) == long)
        #expect(wire.server.value("empty", on: stream)?.isEmpty == true)
        #expect(wire.server.value("last", on: stream) == "after")
    }

    @Test func bytesThatAreNoHTTP2EndTheSession() throws {
        let server = try End(.server)
        let error = try #require(throws: HTTP2Error.self) {
            try Array("GET / HTTP/1.1\r\n\r\n".utf8).withUnsafeBytes { try server.session.receive($0) }
        }
        #expect(error.closesConnection)
    }

    @Test func aRequestCountsAsSentWithItsLastByteOnly() throws {
        var options = HTTP2Session.Options()
        options.initialWindow = 10
        options.updatesWindows = false
        let wire = try Wire(options)
        let stuck = try wire.client.session.submitRequest(Wire.request(), body: Array(repeating: 1, count: 11)[...])
        let fitting = try wire.client.session.submitRequest(Wire.request(), body: Array(repeating: 2, count: 10)[...])
        try wire.settle()
        #expect(wire.client.sent == [fitting])
        #expect(wire.client.session.unsentBodies == 1)
        #expect(wire.server.bodies[stuck]?.count == 10)
        #expect(wire.client.session.remoteInitialWindow == 10)
        wire.client.session.reset(stream: stuck, errorCode: 8)
        try wire.settle()
        #expect(wire.client.session.unsentBodies == 0)
        #expect(wire.client.sent == [fitting])
    }

    @Test func aRequestEndsWhereItsLastFrameDoes() throws {
        let client = try End(.client)
        var bytes: [UInt8] = []
        try client.session.drain(into: &bytes, limit: 1 << 20)
        #expect(client.session.drainedBytes == UInt64(bytes.count))
        for size in [0, 1, 5000] {
            _ = try client.session.submitRequest(Wire.request(), body: Array(repeating: 7, count: size)[...])
            try client.session.drain(into: &bytes, limit: 1 << 20)
            #expect(client.ends.last == UInt64(bytes.count))
        }
        #expect(client.ends.count == 3)
        // Several together: each ends behind the one before, and none behind what was drained.
        for _ in 0..<10 { _ = try client.session.submitRequest(Wire.request(), body: [1, 2, 3]) }
        try client.session.drain(into: &bytes, limit: 1 << 20)
        #expect(client.ends == client.ends.sorted())
        #expect(Set(client.ends).count == 13)
        #expect(client.ends.last == UInt64(bytes.count))
    }

    @Test func streamIDsRunOut() throws {
        var options = HTTP2Session.Options()
        options.firstStream = Int32.max - 2
        let client = try End(.client, options)
        #expect(try client.session.submitRequest(Wire.request(), body: []) == Int32.max - 2)
        #expect(try client.session.submitRequest(Wire.request(), body: []) == Int32.max)
        let error = try #require(throws: HTTP2Error.self) {
            try client.session.submitRequest(Wire.request(), body: [])
        }
        #expect(error.isOutOfStreams)
    }
}
