import Glibc

/// A directory that goes with its owner, files and all.
///
/// It holds files only.
final class TemporaryDirectory: Sendable {
    let path: String

    init() {
        var template = Array("/tmp/waybill-apns-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            // The template is well formed, and a machine whose /tmp cannot be written to runs no tests.
            String(cString: mkdtemp(buffer.baseAddress!)!)
        }
    }

    deinit {
        if let directory = opendir(path) {
            while let entry = readdir(directory) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != "." && name != ".." { unlink("\(path)/\(name)") }
            }
            closedir(directory)
        }
        rmdir(path)
    }
}
