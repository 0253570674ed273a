import APNSSimulator
import Glibc

/// A directory of its own for one test, removed with everything in it.
final class TestDirectory {
    let path: String

    init() throws {
        var template = Array("/tmp/apns-simulator-tests-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SimulatorError("mkdtemp failed") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        if let directory = opendir(path) {
            while let entry = readdir(directory) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                if name != ".", name != ".." { unlink("\(path)/\(name)") }
            }
            closedir(directory)
        }
        rmdir(path)
    }

    func mode(of name: String) -> mode_t {
        var status = stat()
        return stat("\(path)/\(name)", &status) == 0 ? status.st_mode & 0o777 : 0
    }
}
