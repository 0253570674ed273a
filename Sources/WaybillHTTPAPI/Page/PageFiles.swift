import CWaybillPage
import HTTPTypes
import NIOCore
import WaybillCompression
import WaybillSettings
import WaybillTLS

/// The files of the pages, in memory: our own from the binary, Chart.js from the system.
///
/// Their addresses hold a hash over all of them, so that a browser keeps them as long as it likes and never mixes two releases.
struct PageFiles: Sendable {
    struct File: Sendable {
        let content: ByteBuffer
        /// The same as gzip; `nil` where that is no shorter.
        let packed: ByteBuffer?
        let type: String
        /// For `ETag`, with its quotation marks.
        let tag: String
        /// The tag of what is packed.
        let packedTag: String

        init(_ bytes: [UInt8], type: String) {
            content = ByteBuffer(bytes: bytes)
            packed = (try? Gzip.deflate(bytes)).flatMap { $0.count < bytes.count ? ByteBuffer(bytes: $0) : nil }
            self.type = type
            let digest = SHA256Hasher.digest(of: bytes).hexadecimal.prefix(Self.tagLength)
            tag = "\"\(digest)\""
            packedTag = "\"\(digest)-gzip\""
        }

        private static let tagLength = 32
    }

    /// What the operators' page is written in, with the addresses of its files.
    let shell: File
    /// The same of the page for people.
    let peopleShell: File
    /// By name, without the shells.
    let files: [String: File]
    /// In the address of each file.
    let hash: String
    /// Why there is no Chart.js; `nil`: it is there.
    let chartProblem: String?

    private static let shellName = "index.html"
    private static let peopleShellName = "app.html"
    private static let chartName = "chart.js"
    private static let hashLength = 16

    /// Reads them.
    ///
    /// - Parameter libraries: the folder in which the system has scripts of others (`serve.assets`).
    init(libraries: String) {
        var content = Self.embedded
        switch PageCharts.read(libraries: libraries) {
        case .success(let bytes):
            content[Self.chartName] = bytes
            chartProblem = nil
        case .failure(let problem):
            // An answer all the same: the page does without, and a browser would report an error.
            content[Self.chartName] = Array(
                "// Chart.js is not installed on this server; Debian: libjs-chart.js\n".utf8
            )
            chartProblem = problem.reason
        }
        var all: [UInt8] = []
        for (name, bytes) in content.sorted(by: { $0.key < $1.key }) {
            all += Array("\(name) \(bytes.count)\n".utf8) + bytes
        }
        let hash = String(SHA256Hasher.digest(of: all).hexadecimal.prefix(Self.hashLength))
        self.hash = hash
        shell = Self.shell(content.removeValue(forKey: Self.shellName) ?? [], hash: hash)
        peopleShell = Self.shell(content.removeValue(forKey: Self.peopleShellName) ?? [], hash: hash)
        files = Dictionary(uniqueKeysWithValues: content.map { ($0, File($1, type: Self.type(of: $0))) })
    }

    private static func shell(_ bytes: [UInt8], hash: String) -> File {
        let text = String(decoding: bytes, as: UTF8.self).replacing("{{assets}}", with: "/page/\(hash)")
        return File(Array(text.utf8), type: "text/html; charset=utf-8")
    }

    /// What the binary carries, by name.
    static var embedded: [String: [UInt8]] {
        var count = 0
        let files = UnsafeBufferPointer(start: cwaybill_page_files(&count), count: count)
        return Dictionary(
            uniqueKeysWithValues: files.map { file in
                (String(cString: file.name), Array(UnsafeBufferPointer(start: file.bytes, count: file.count)))
            }
        )
    }

    static func type(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "css": "text/css; charset=utf-8"
        case "html": "text/html; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "json": "application/json"
        case "png": "image/png"
        case "svg": "image/svg+xml"
        // YAML is to be read, and not to be saved.
        case "txt", "yaml": "text/plain; charset=utf-8"
        default: "application/octet-stream"
        }
    }
}
