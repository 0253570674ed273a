import Foundation
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import Testing
import WaybillTelemetry
import WaybillThreads

@testable import WaybillHTTPAPI

/// Over real sockets, one server for each test.
@Suite(.timeLimit(.minutes(2)))
struct AdminServerTests {
    private final class Work: ObservedWork {
        let watch = LoopWatch(name: "wb-test")
        let condition = Condition(name: "store", freshness: .seconds(3600), cause: "not there")
        var loops: [LoopWatch] { [watch] }

        func status() -> WorkStatus {
            var status = WorkStatus()
            status.checks = [condition.check()]
            return status
        }

        func measure(into page: inout MetricsPage) {
            page.add(Metric("waybill_things_total", .counter, "Things."), 42)
        }
    }

    /// Runs a server as long as the body does.
    private func withServer(
        _ body: (_ port: Int, _ work: Work) async throws -> Void
    ) async throws {
        let work = Work()
        let view = ProcessView(
            ProcessView.Identity(role: "dispatch", version: "1.2.3", host: "a", process: 7, started: 0)
        )
        view.began(0, work)
        let (ports, listening) = AsyncStream<Int>.makeStream()
        let server = AdminServer(
            host: "127.0.0.1",
            port: 0,
            names: ["push-1.example.com"],
            view: view,
            logger: Logger(label: "test")
        ) {
            listening.yield($0)
        }
        let group = ServiceGroup(services: [server], logger: Logger(label: "test"))
        let run = Task { try await group.run() }
        var iterator = ports.makeAsyncIterator()
        let port = try #require(await iterator.next())
        try await body(port, work)
        await group.triggerGracefulShutdown()
        try await run.value
    }

    private func ask(_ port: Int, _ path: String, method: String = "GET") async throws -> HTTPAnswer {
        try await HTTPAnswer.of(port: port, path, method: method)
    }

    @Test func metricsAreThePrometheusTextFormat() async throws {
        try await withServer { port, _ in
            let answer = try await ask(port, "/metrics")
            #expect(answer.status == 200)
            #expect(answer.type == "text/plain; version=0.0.4; charset=utf-8")
            #expect(answer.text.contains("\nwaybill_things_total 42\n"))
            #expect(answer.text.contains("\nwaybill_ready 0\n"))
        }
    }

    /// A task that is left behind at a shutdown still finds its event loop.
    @Test func keepsItsEventLoopBeyondItsEnd() async throws {
        let loop = AdminServer.threads.any()
        try await withServer { port, _ async throws in #expect(try await ask(port, "/metrics").status == 200) }
        #expect(try await loop.submit { true }.get())
    }

    @Test func readyFollowsWhatTheRoleNeeds() async throws {
        try await withServer { port, work in
            let before = try await ask(port, "/ready")
            #expect(before.status == 503)
            #expect(before.text.contains(#""name":"store","ok":false,"cause":"not there""#))
            work.condition.holds()
            let after = try await ask(port, "/ready")
            #expect(after.status == 200)
            #expect(after.text.hasPrefix(#"{"ready":true"#))
            #expect(after.headers["cache-control"] == "no-store")
        }
    }

    @Test func liveSaysOnlyWhetherLoopsGoRound() async throws {
        try await withServer { port, work in
            #expect(try await ask(port, "/live").status == 200)
            work.watch.works(since: MonotonicTime.now().advanced(by: .seconds(-61)))
            let stuck = try await ask(port, "/live")
            #expect(stuck.status == 503)
            #expect(stuck.text == "{\"live\":false,\"stuck\":[\"wb-test\"]}\n")
        }
    }

    @Test func statusIsJSON() async throws {
        try await withServer { port, _ in
            let answer = try await ask(port, "/status")
            #expect(answer.status == 200)
            #expect(answer.type == "application/json")
            let object = try JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? [String: Any]
            #expect(object?["role"] as? String == "dispatch")
            #expect(object?["ready"] as? Bool == false)
        }
    }

    @Test(arguments: [
        ("GET", "/", 404), ("GET", "/metrics/", 404), ("GET", "/../etc/passwd", 404), ("POST", "/metrics", 405),
        ("DELETE", "/status", 405), ("GET", "/live?x=1", 200), ("HEAD", "/ready", 503),
    ])
    func whatIsNotThereIsAProblem(method: String, path: String, status: Int) async throws {
        try await withServer { port, _ in
            let answer = try await ask(port, path, method: method)
            #expect(answer.status == status)
            if status == 404 || status == 405 { #expect(answer.type == "application/problem+json") }
            if status == 405 { #expect(answer.headers["allow"] == "GET, HEAD") }
        }
    }

    @Test(arguments: [
        ("", 400), ("Host: 127.0.0.1\r\nHost: 127.0.0.1\r\n", 400), ("Host: 127.0.0.1\r\n", 200),
        ("Host: push-1.example.com:9464\r\n", 200), ("Host: foreign.example\r\n", 421), ("Host:\r\n", 400),
        ("Host: \r\n", 400),
    ])
    func aRequestNamesTheMachineThatItIsFor(field: String, status: Int) async throws {
        try await withServer { port, _ in
            let client = try RawClient(port: port)
            defer { client.close() }
            client.send("GET /live HTTP/1.1\r\n\(field)\r\n")
            #expect(try await client.reads("HTTP/1.1 \(status) "), "\(client.text)")
            if status != 200 { #expect(try await client.reads("application/problem+json")) }
        }
    }

    /// What the target names counts, whatever the field says.
    @Test(arguments: [
        ("http://evil.example/metrics", "127.0.0.1", 421), ("http://evil.example/metrics", "evil.example", 421),
        ("http://127.0.0.1/live", "evil.example", 200), ("http://localhost:9464/live", "localhost", 200),
        ("http:///live", "localhost", 400), ("HTTP://EVIL.example?x", "localhost", 421),
        ("http://localhost@evil.example/live", "localhost", 421), ("http://127.0.0.1/live", "", 200),
    ])
    func aTargetInAbsoluteFormNamesTheMachine(target: String, host: String, status: Int) async throws {
        try await withServer { port, _ in
            let client = try RawClient(port: port)
            defer { client.close() }
            client.send("GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            #expect(try await client.reads("HTTP/1.1 \(status) "), "\(client.text)")
            // One of the old protocol need not have the field.
            let old = try RawClient(port: port)
            defer { old.close() }
            old.send("GET http://evil.example/metrics HTTP/1.0\r\n\r\n")
            #expect(try await old.reads("HTTP/1.1 421 "), "\(old.text)")
        }
    }

    @Test func aClientOfTheOldProtocolNamesNoMachine() async throws {
        try await withServer { port, _ in
            for field in ["", "Host: localhost\r\n"] {
                let client = try RawClient(port: port)
                client.send("GET /live HTTP/1.0\r\n\(field)\r\n")
                #expect(try await client.readsEnd())
                #expect(client.text.hasPrefix("HTTP/1.1 200 "), "\(client.text)")
            }
        }
    }

    @Test func whoAsksNothingKeepsNoProbeOut() async throws {
        try await withServer { port, _ in
            // More than there may be at all; each sends a part of a request.
            let slow = try (0..<40).map { _ in try RawClient(port: port) }
            defer { for client in slow { client.close() } }
            for client in slow { client.send("GET /live HTTP/1.1\r\n") }
            for path in ["/live", "/ready", "/metrics"] { #expect(try await ask(port, path).status != 404) }
            for client in slow { client.receive() }
            #expect(slow[0].isOver)
            #expect(!slow[39].isOver)
            // No more of them than had to make room, and none had to wait for the end of its time.
            #expect(slow.count { $0.isOver } < 30)
        }
    }

    @Test func whoReadsNoAnswerKeepsNoProbeOut() async throws {
        try await withServer { port, _ in
            let slow = try (0..<120).map { _ in try RawClient(port: port) }
            defer { for client in slow { client.close() } }
            for client in slow { client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n") }
            for path in ["/live", "/ready", "/metrics"] { #expect(try await ask(port, path).status != 404) }
            for client in slow { client.receive() }
            #expect(slow[0].isOver)
        }
    }

    @Test(arguments: [
        ("POST /live HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
        ("GET /live HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
        ("nonsense\r\n\r\n", 400),
        ("GET /live HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 20_000))\r\n\r\n", 431),
    ])
    func whatCannotBeReadGetsOneAnswerAndTheEnd(request: String, status: Int) async throws {
        try await withServer { port, _ in
            let client = try RawClient(port: port)
            client.send(request)
            #expect(try await client.readsEnd())
            #expect(client.text.hasPrefix("HTTP/1.1 \(status) "), "\(client.text)")
            #expect(client.text.components(separatedBy: "HTTP/1.1 ").count == 2)
            #expect(client.text.lowercased().contains("connection: close\r\n"))
            #expect(client.text.contains("application/problem+json"))
        }
    }

    @Test func aTakenPortIsWaitedForAndEndsNothing() async throws {
        try await withServer { port, _ in
            let view = ProcessView(
                ProcessView.Identity(role: "prune", version: "1", host: "a", process: 7, started: 0)
            )
            let lines = Mutex<[String]>([])
            let logger = Logger(label: "test") { _ in
                JSONLogHandler(
                    label: "test",
                    level: .info,
                    destination: LineDestination { line in
                        lines.withLock { $0.append(line) }
                    }
                )
            }
            let second = AdminServer(host: "127.0.0.1", port: UInt16(port), view: view, logger: logger)
            let group = ServiceGroup(services: [second], logger: Logger(label: "test"))
            let run = Task { try await group.run() }
            while lines.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(10)) }
            await group.triggerGracefulShutdown()
            try await run.value
            let told = lines.withLock { $0 }
            #expect(told.contains { $0.contains("admin.notListening") && $0.contains(":\(port)") }, "\(told)")
            #expect(told.contains { $0.contains("the port is taken") }, "\(told)")
            // The end is no failure of its own.
            #expect(told.count == 1, "\(told)")
        }
    }
}
