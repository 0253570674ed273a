import Glibc

/// The lines of a plan, each of which is one thing to send.
package struct PlanLines: Sendable {
    private let lines: [String]

    package var count: Int { lines.count }

    package init(file: String) throws(ProbeProblem) {
        guard let stream = fopen(file, "r") else { throw ProbeProblem("\(file) cannot be read") }
        defer { fclose(stream) }
        var lines: [String] = []
        var buffer: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(buffer) }
        while true {
            let count = getline(&buffer, &capacity, stream)
            guard count > 0, let buffer else { break }
            let bytes = UnsafeRawBufferPointer(start: buffer, count: count)
            lines.append(
                String(decoding: bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...], as: UTF8.self)
            )
        }
        self.lines = lines
    }

    /// The columns of a line, between tabs.
    ///
    /// - Parameters:
    ///   - position: the line's, counted from 0.
    ///   - count: how many there must be.
    /// - Returns: the columns.
    /// - Throws: when there are more or fewer.
    package func columns(_ position: Int, count: Int) throws(ProbeProblem) -> [String] {
        let columns = lines[position].split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard columns.count == count else { throw ProbeProblem("line \(position + 1) of the plan") }
        return columns
    }
}

/// What a probe was told and cannot do.
package struct ProbeProblem: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
