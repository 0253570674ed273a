import Glibc
import Testing
import WaybillEncoding
import WaybillTestSupport

@Suite("Small files")
struct SmallFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func problem(_ path: String, limit: Int = 10, mustBeRegular: Bool = false) -> SmallFile.Problem? {
        #expect(throws: SmallFile.Problem.self) {
            try SmallFile.read(path, limit: limit, mustBeRegular: mustBeRegular)
        }
    }

    @Test("a file up to the limit is read, with its permissions", arguments: [0, 1, 9, 10])
    func whole(count: Int) throws {
        let path = try folder.write("file", String(repeating: "x", count: count))
        chmod(path, 0o640)
        let content = try SmallFile.read(path, limit: 10, mustBeRegular: true)
        #expect(content.bytes.count == count)
        #expect(content.permissions == 0o640)
    }

    @Test("a file of many pieces is read as a whole")
    func large() throws {
        let text = String(repeating: "0123456789", count: 20_000)
        let path = try folder.write("file", text)
        #expect(try SmallFile.read(path, limit: 200_000).bytes == Array(text.utf8))
        #expect(try SmallFile.read(path, limit: .max).bytes.count == 200_000)
    }

    @Test("one byte more is too large")
    func tooLarge() throws {
        let path = try folder.write("file", "01234567890")
        let problem = problem(path)
        #expect(problem?.kind == .tooLarge)
        #expect(problem?.description == "\(path) is larger than 10 bytes")
    }

    @Test("what is not there, or no file, is named")
    func missing() throws {
        let path = "\(folder.path)/none"
        #expect(problem(path)?.kind == .missing)
        #expect(problem(path)?.description == "\(path) does not exist")
        #expect(problem(folder.path)?.kind == .unreadable)
        #expect(problem(folder.path, mustBeRegular: true)?.kind == .notRegular)
        #expect(problem(folder.path, mustBeRegular: true)?.text == "is not a regular file")
    }

    @Test("a pipe without a writer is not waited for")
    func pipe() throws {
        let path = "\(folder.path)/pipe"
        #expect(mkfifo(path, 0o600) == 0)
        #expect(problem(path, mustBeRegular: true)?.kind == .notRegular)
        #expect(try SmallFile.read(path, limit: 10).bytes.isEmpty)
    }
}
