import Glibc
import Synchronization

/// Standard output: one JSON object in a line, whole lines only, whichever thread writes.
final class Report: Sendable {
    private let turn = Mutex(())

    /// Writes lines; returns when the system has taken them.
    func write(_ lines: [JSONLine]) {
        guard !lines.isEmpty else { return }
        var text = ""
        for line in lines { text += line.text + "}\n" }
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

    func write(_ line: JSONLine) {
        write([line])
    }
}

/// One object, written member by member.
struct JSONLine {
    private(set) var text = "{"

    init(_ kind: String) {
        self["kind"] = kind
        self["at"] = Self.now()
    }

    /// Nanoseconds of the monotonic clock, which every process of the machine shares.
    private static func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    private mutating func begin(_ name: String) {
        if text.utf8.count > 1 { text += "," }
        text += "\(Self.quoted(name)):"
    }

    subscript(name: String) -> String? {
        get { nil }
        set {
            guard let newValue else { return }
            begin(name)
            text += Self.quoted(newValue)
        }
    }

    subscript(name: String) -> Int? {
        get { nil }
        set {
            guard let newValue else { return }
            begin(name)
            text += "\(newValue)"
        }
    }

    subscript(name: String) -> [String] {
        get { [] }
        set {
            begin(name)
            text += "[\(newValue.map(Self.quoted).joined(separator: ","))]"
        }
    }

    private static func quoted(_ value: String) -> String {
        var result = "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
