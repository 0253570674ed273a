import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOWebSocket
import WaybillEncoding

/// The opening handshake of a WebSocket (RFC 6455, 4.2).
enum SocketHandshake {
    private static let version = "13"
    private static let keyBytes = 16

    /// What a request for a WebSocket is answered with, beside 101.
    ///
    /// - Parameters:
    ///   - request: the client's.
    ///   - origin: refuses pages of other sites.
    ///   - channel: its connection.
    /// - Returns: the header fields.
    /// - Throws: ``Problem`` 426 for a request that asks for no WebSocket of this version, 400 for one without a good key, 403 for a
    ///   page of another site.
    static func answer(
        _ request: Request,
        _ origin: OriginCheck,
        _ channel: any Channel
    ) async throws -> HTTPFields {
        let fields = request.headers
        guard request.method == .get, lists("websocket", fields[values: .upgrade]),
            lists("upgrade", fields[values: .connection])
        else { throw required("this is a WebSocket: ask with Upgrade: websocket") }
        guard fields[values: .secWebSocketVersion] == [version] else {
            throw required("the version of WebSockets here is \(version)").with(.secWebSocketVersion, version)
        }
        let keys = fields[values: .secWebSocketKey]
        guard keys.count == 1, Base64.decode(keys[0])?.count == keyBytes else {
            throw Problem(.badRequest, "Sec-WebSocket-Key is \(keyBytes) bytes in Base64, once")
        }
        try origin.refuseForeign(request)
        let accept = try await accept(keys[0], channel)
        return [.upgrade: "websocket", .connection: "Upgrade", .secWebSocketAccept: accept]
    }

    private static func required(_ detail: String) -> Problem {
        Problem(.upgradeRequired, detail).with(.upgrade, "websocket").with(.connection, "Upgrade")
    }

    /// Whether a word is among those of a list, in any case.
    private static func lists(_ word: String, _ values: [String]) -> Bool {
        values.flatMap { $0.split(separator: ",") }.contains { part in
            part.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }.lowercased() == word
        }
    }

    /// The key with the protocol's own words behind it, hashed: NIO's upgrader does that.
    private static func accept(_ key: String, _ channel: any Channel) async throws -> String {
        let upgrader = NIOWebSocketServerUpgrader(
            shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture(HTTPHeaders()) },
            upgradePipelineHandler: { channel, _ in channel.eventLoop.makeSucceededVoidFuture() }
        )
        let headers: HTTPHeaders = ["Sec-WebSocket-Key": key, "Sec-WebSocket-Version": version]
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: headers)
        let answer = try await upgrader.buildUpgradeResponse(
            channel: channel,
            upgradeRequest: head,
            initialResponseHeaders: [:]
        ).get()
        return answer["Sec-WebSocket-Accept"].first ?? ""
    }
}
