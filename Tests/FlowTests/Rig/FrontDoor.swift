import Foundation
import Glibc
import WaybillTestSupport

/// `waybill serve` on a port of its own, for devices that say what became of their notifications.
struct FrontDoor {
    static let keyFile = "receipt-keys"

    let port: UInt16

    init() throws { port = try SilentServer.unusedPort() }

    /// The sections of a configuration that make it possible.
    var settings: String {
        """
        receipts: {key_file: \(Self.keyFile), keep_for: 30d}
        serve: {listen: "127.0.0.1:\(port)"}

        """
    }

    /// Writes the key file into the folder of a configuration.
    static func writeKeys(in folder: URL) throws {
        let file = folder.appendingPathComponent(keyFile)
        try "k1 0123456789abcdef0123456789abcdef\n".write(to: file, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }

    /// Says of a notification what became of it.
    ///
    /// - Returns: the answer's status; 0 without any.
    func say(_ event: String, of id: String, capability: String) -> Int {
        post("/v1/receipts", #"{"id":"\#(id)","cap":"\#(capability)","event":"\#(event)"}"#)
    }

    /// Posts JSON.
    ///
    /// - Parameters:
    ///   - path: where.
    ///   - body: an object.
    ///   - key: of the API, where one is needed.
    /// - Returns: the answer's status; 0 without any.
    func post(_ path: String, _ body: String, key: String? = nil) -> Int {
        let authorization = key.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        let request = """
            POST \(path) HTTP/1.1\r
            Host: localhost\r
            Connection: close\r
            \(authorization)Content-Type: application/json\r
            Content-Length: \(body.utf8.count)\r
            \r
            \(body)
            """
        let answer = exchange(Array(request.utf8))
        let words = answer.split(separator: " ", maxSplits: 2)
        return words.count > 1 ? Int(words[1]) ?? 0 : 0
    }

    private func exchange(_ request: [UInt8]) -> String {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0, write(descriptor, request, request.count) == request.count else { return "" }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = read(descriptor, &buffer, buffer.count), count > 0 { answer += buffer[..<count] }
        return String(decoding: answer, as: UTF8.self)
    }
}
