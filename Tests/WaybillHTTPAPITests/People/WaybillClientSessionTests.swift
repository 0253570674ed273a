import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import Testing

@testable import WaybillClient

/// The library's sessions and paths, with a server whose renewals wait.
@Suite(.timeLimit(.minutes(1)))
struct WaybillClientSessionTests {
    private static func tokens(_ access: String) -> String {
        #"{"session":"s","account":"acc_1","access_token":"\#(access)","refresh_token":"r","expires_in":600}"#
    }

    /// Runs a server that notes each renewal in `asked` and answers it after a value of `gate`, notes the path of each read mark in
    /// `path`, and refuses lists and log-outs.
    private func withServer(
        asked: AsyncStream<Void>.Continuation,
        gate: AsyncStream<Void>,
        path: AsyncStream<String>.Continuation,
        _ body: (URL) async throws -> Void
    ) async throws {
        let (ports, listening) = AsyncStream<Int>.makeStream()
        let router = Router()
        router.get("/v1/notifications") { _, _ -> HTTPResponse.Status in .unauthorized }
        router.put("/v1/notifications/{id}/read") { request, _ -> HTTPResponse.Status in
            path.yield(request.uri.path)
            return .noContent
        }
        router.post("/v1/account/sessions") { _, _ -> String in Self.tokens("second") }
        router.delete("/v1/account/sessions/current") { _, _ -> HTTPResponse.Status in .serviceUnavailable }
        router.post("/v1/account/sessions/refresh") { _, _ -> String in
            asked.yield()
            for await _ in gate { break }
            return Self.tokens("renewed")
        }
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { listening.yield($0.localAddress?.port ?? 0) }
        )
        let group = ServiceGroup(services: [application], logger: Logger(label: "test"))
        let run = Task { try await group.run() }
        var iterator = ports.makeAsyncIterator()
        let port = try #require(await iterator.next())
        do {
            try await body(try #require(URL(string: "http://127.0.0.1:\(port)")))
        } catch {
            await group.triggerGracefulShutdown()
            throw error
        }
        await group.triggerGracefulShutdown()
        run.cancel()
    }

    @Test func dropsARenewalOfAnEarlierSession() async throws {
        let (renewals, asked) = AsyncStream<Void>.makeStream()
        let (gate, open) = AsyncStream<Void>.makeStream()
        let (_, path) = AsyncStream<String>.makeStream()
        let kept = Mutex<[String?]>([])
        try await withServer(asked: asked, gate: gate, path: path) { server in
            let first = try WaybillSession(Data(Self.tokens("first").utf8))
            let client = WaybillClient(server: server, session: first) { session in
                kept.withLock { $0.append(session?.accessToken) }
            }
            let call = Task { try await client.notifications() }
            var iterator = renewals.makeAsyncIterator()
            _ = await iterator.next()
            // The server cannot be reached for it: the session is forgotten all the same.
            await #expect(throws: WaybillError.self) { try await client.logOut() }
            #expect(await client.session == nil)
            try await client.logIn(name: "eve", password: "correct horse")
            open.yield()
            await #expect(throws: WaybillError.self) { _ = try await call.value }
            #expect(await client.session?.accessToken == "second")
            #expect(kept.withLock { $0 } == [nil, "second"])
        }
    }

    @Test func escapesIDsInPaths() async throws {
        #expect(Transport.segment("5C2D2E36-4c2b_~") == "5C2D2E36-4c2b_~")
        #expect(Transport.segment("../a/b c?d#é%") == "%2E%2E%2Fa%2Fb%20c%3Fd%23%C3%A9%25")
        let (_, asked) = AsyncStream<Void>.makeStream()
        let (gate, _) = AsyncStream<Void>.makeStream()
        let (paths, path) = AsyncStream<String>.makeStream()
        try await withServer(asked: asked, gate: gate, path: path) { server in
            let session = try WaybillSession(Data(Self.tokens("second").utf8))
            try await WaybillClient(server: server, session: session).markRead("a/../b")
            var iterator = paths.makeAsyncIterator()
            #expect(await iterator.next() == "/v1/notifications/a%2F%2E%2E%2Fb/read")
        }
    }
}
