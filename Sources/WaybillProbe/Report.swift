import Glibc
import Synchronization
import WaybillEncoding

/// Standard output: one JSON object in a line, whole lines only, whichever thread writes.
package final class Report: Sendable {
    private let turn = Mutex(())

    package init() {}

    /// Writes lines; returns when the system has taken them.
    package func write(_ lines: [JSONLine]) {
        guard !lines.isEmpty else { return }
        var text = ""
        for line in lines { text += line.text + "\n" }
        turn.withLock { _ in
            text.withUTF8 { bytes in
                var offset = 0
                while offset < bytes.count {
                    let count = Glibc.write(STDOUT_FILENO, bytes.baseAddress! + offset, bytes.count - offset)
                    if count < 0, errno == EINTR { continue }
                    // Whoever reads is gone: there is nobody to tell.
                    guard count > 0 else { exit(74) }
                    offset += count
                }
            }
        }
    }

    package func write(_ line: JSONLine) {
        write([line])
    }

    /// Writes what cannot be done.
    package func complain(_ error: any Error) {
        var line = JSONLine("problem")
        line["text"] = "\(error)"
        write(line)
    }
}

/// One object, written member by member.
package struct JSONLine {
    private var object = JSONObject()

    package init(_ kind: String) {
        self["kind"] = kind
        self["at"] = Self.now()
    }

    var text: String { object.text }

    /// Nanoseconds of the monotonic clock, which every process of the machine shares.
    private static func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    package subscript(name: String) -> String? {
        get { nil }
        set { object.add(name, newValue) }
    }

    package subscript(name: String) -> Int? {
        get { nil }
        set { object.add(name, newValue) }
    }

    package subscript(name: String) -> [String] {
        get { [] }
        set { object.add(name, newValue) }
    }
}
