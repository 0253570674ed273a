import Glibc
import Synchronization

/// Standard output does not take what was asked for.
struct OutputFailure: Error, Hashable, CustomStringConvertible {
    /// As the system gives it.
    let code: Int32

    /// Whether whoever read it has gone away, as `head` does when it has enough.
    var isClosedPipe: Bool { code == EPIPE }

    var description: String { "cannot write standard output: \(String(cString: strerror(code)))" }
}

/// Writes a stream in blocks, or line by line where somebody looks on, and remembers the first fault.
///
/// After a fault it takes nothing more: what follows a gap would pass for what belongs there.
///
/// *Thread:* any. *Blocking:* as long as whoever reads takes.
final class OutputWriter: Sendable {
    private struct State {
        var buffer: [UInt8] = []
        var hasWritten = false
        var failure: OutputFailure?
    }

    private static let mostBuffered = 1 << 16

    private let descriptor: Int32
    private let isByLine: Bool
    private let state = Mutex(State())

    /// - Parameters:
    ///   - descriptor: where to.
    ///   - isByLine: whether each text is handed on at once.
    init(descriptor: Int32, isByLine: Bool) {
        self.descriptor = descriptor
        self.isByLine = isByLine
    }

    /// Takes a text.
    func write(_ text: String) {
        state.withLock { state in
            guard state.failure == nil else { return }
            state.buffer.append(contentsOf: text.utf8)
            if isByLine || state.buffer.count >= Self.mostBuffered { drain(&state) }
        }
    }

    /// Hands on what was taken.
    ///
    /// - Throws: the first fault since the beginning.
    func flush() throws(OutputFailure) {
        let failure = state.withLock { state in
            drain(&state)
            return state.failure
        }
        if let failure { throw failure }
    }

    /// Hands on what was taken, for a caller that says itself what went wrong: nobody is told of it again.
    func flushForCaller() throws(OutputFailure) {
        let failure = state.withLock { state in
            drain(&state)
            defer { state.failure = nil }
            return state.failure
        }
        if let failure { throw failure }
    }

    /// Hands on the rest and closes: a full disk at the other end of a network is known only then.
    ///
    /// - Returns: the first fault since the beginning.
    func close() -> OutputFailure? {
        state.withLock { state in
            drain(&state)
            // Closed by whoever started this, it misses nothing as long as nothing was to be written.
            if Glibc.close(descriptor) != 0, state.hasWritten { note(errno, &state) }
            return state.failure
        }
    }

    private func drain(_ state: inout State) {
        defer { state.buffer.removeAll(keepingCapacity: true) }
        guard state.failure == nil, !state.buffer.isEmpty else { return }
        state.hasWritten = true
        if let code = state.buffer.withUnsafeBytes(writeWhole) { note(code, &state) }
    }

    private func note(_ code: Int32, _ state: inout State) {
        if state.failure == nil { state.failure = OutputFailure(code: code) }
    }

    /// - Returns: the system's number of what went wrong.
    private func writeWhole(_ bytes: UnsafeRawBufferPointer) -> Int32? {
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            guard count < 0 else {
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                continue
            }
            switch errno {
            case EINTR: continue
            // Shared with a program that does not want to wait: this one does.
            case EAGAIN:
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&ready, 1, -1)
            case let code: return code
            }
        }
        return nil
    }
}
