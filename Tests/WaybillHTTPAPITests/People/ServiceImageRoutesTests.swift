import Foundation
import Testing
import WaybillMongoTestSupport
import WaybillTestSupport

@testable import WaybillAccounts
@testable import WaybillHTTPAPI

/// The image of a service, over real sockets.
@Suite(.enabled(if: TestDatabase.isAvailable), .timeLimit(.minutes(2)))
struct ServiceImageRoutesTests {
    private struct Scene {
        let rig: PeopleRig
        let path: String
        let ada: String
        let eve: String

        func put(
            _ file: [UInt8],
            as who: String?,
            headers: [String: String] = ["Content-Type": "image/png"]
        ) async throws -> APIRig.Answer {
            try await rig.server.ask("\(path)/image", key: who, method: "PUT", headers: headers, body: Data(file))
        }
    }

    private func run(_ body: (Scene) async throws -> Void) async throws {
        try await PeopleRig.run { rig in
            try await rig.person("ada.l", "ada@example.com")
            try await rig.person("eve.e", "eve@example.com")
            let (ada, eve) = (try await rig.session("ada.l").access, try await rig.session("eve.e").access)
            let made = try await rig.ask("POST", "/v1/services", ["name": "Backups"], token: ada)
            let id = try #require(made.json["id"] as? String)
            try await body(Scene(rig: rig, path: "/v1/services/\(id)", ada: ada, eve: eve))
        }
    }

    @Test func anImageIsSetSeenAndTakenAway() async throws {
        try await run { scene in
            #expect(try await scene.rig.ask("GET", "\(scene.path)/image", token: scene.ada).status == 404)
            let set = try await scene.put(SampleImages.png, as: scene.ada)
            #expect(set.status == 200)
            let image = try #require(set.json["image"] as? [String: Any])
            #expect(image["type"] as? String == "image/png")
            #expect((image["width"] as? Int, image["height"] as? Int) == (3, 2))
            let path = try #require(image["path"] as? String)
            #expect(path.hasPrefix("\(scene.path)/image/"))
            let kept = try ServiceImage(SampleImages.png).bytes

            let own = try await scene.rig.ask("GET", "\(scene.path)/image", token: scene.ada)
            #expect(own.status == 200 && own.body == kept)
            #expect(own.headers["cache-control"] == "private, no-cache")
            // Whoever has the address needs no token: a phone that shows a push has none.
            let open = try await scene.rig.ask("GET", path)
            #expect(open.status == 200 && open.body == kept)
            #expect(open.headers["content-type"] == "image/png")
            #expect(open.headers["x-content-type-options"] == "nosniff")
            #expect(open.headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'; sandbox")
            #expect(open.headers["cache-control"] == "public, max-age=31536000, immutable")
            let tag = try #require(open.headers["etag"])
            for (path, key) in [(path, nil), ("\(scene.path)/image", scene.ada)] {
                let known = try await scene.rig.server.ask(
                    path,
                    key: key,
                    headers: ["If-None-Match": "\"x\", W/\(tag)"]
                )
                #expect(known.status == 304 && known.body.isEmpty)
            }
            #expect(try await scene.rig.ask("GET", path.replacing("/image/", with: "/image/0")).status == 404)
            let export = try await scene.rig.ask("GET", "/v1/account/export", token: scene.ada)
            let exported = (export.json["services"] as? [[String: Any]])?.first?["image"] as? [String: Any]
            #expect(exported?["path"] as? String == path)

            #expect(try await scene.rig.ask("DELETE", "\(scene.path)/image", token: scene.ada).status == 204)
            #expect(try await scene.rig.ask("DELETE", "\(scene.path)/image", token: scene.ada).status == 204)
            #expect(try await scene.rig.ask("GET", path).status == 404)
            #expect(try await scene.rig.ask("GET", scene.path, token: scene.ada).json["image"] == nil)
        }
    }

    @Test func whatIsNoImageIsRefused() async throws {
        try await run { scene in
            let before = try await scene.rig.ask("GET", scene.path, token: scene.ada)
            let wide = SampleImages.jpeg(width: 0)
            for (file, status) in [
                (Array("<svg/>".utf8), 415), ([], 415), (Array(SampleImages.png.prefix(50)), 400), (wide, 400),
            ] {
                // What its type is called says nothing.
                #expect(try await scene.put(file, as: scene.ada).status == status)
            }
            #expect(try await scene.put(SampleImages.png, as: scene.ada, headers: ["If-Match": "\"1\""]).status == 412)
            let tag = try #require(before.headers["etag"])
            #expect(try await scene.rig.ask("GET", scene.path, token: scene.ada).headers["etag"] == tag)
            #expect(try await scene.put(SampleImages.png, as: scene.ada, headers: ["If-Match": tag]).status == 200)
            #expect(try await scene.put(SampleImages.png, as: scene.eve).status == 404)
            #expect(try await scene.put(SampleImages.png, as: nil).status == 401)
        }
    }

    /// More than other bodies may have, and not more than an image; what a stranger sends is not read.
    @Test func bodiesHaveTheirOwnLimit() async throws {
        try await run { (scene: Scene) async throws in
            func png(_ bytes: Int) -> [UInt8] {
                let content = Array("IDAT".utf8) + [UInt8](repeating: 7, count: bytes)
                let checksum = CRC32.checksum(of: content)
                func number(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
                var file = Array(SampleImages.png.prefix(33))
                file += number(UInt32(bytes))
                file += content
                file += number(checksum)
                file += [0, 0, 0, 0]
                file += Array("IEND".utf8)
                file += number(CRC32.checksum(of: "IEND".utf8))
                return file
            }
            #expect(try await scene.put(png(900_000), as: scene.ada).status == 200)
            // Nobody waits for what is refused by its head.
            func begin(_ method: String, _ path: String, _ bytes: Int, _ key: String?) async throws -> String {
                let client = try RawClient(port: scene.rig.server.port)
                defer { client.close() }
                let shown = key.map { "Authorization: Bearer \($0)\r\n" } ?? ""
                client.send("\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\(shown)Content-Length: \(bytes)\r\n\r\n")
                #expect(try await client.reads { $0.isOver })
                return String(client.text.prefix { $0 != "\r\n" })
            }
            let image = "\(scene.path)/image"
            #expect(try await begin("PUT", image, (1 << 20) + 1, scene.ada).hasPrefix("HTTP/1.1 413"))
            #expect(try await begin("PUT", image, 900_000, nil).hasPrefix("HTTP/1.1 401"))
            #expect(try await begin("PATCH", scene.path, 900_000, scene.ada).hasPrefix("HTTP/1.1 413"))
        }
    }
}
