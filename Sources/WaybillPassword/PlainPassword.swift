import Glibc

/// A password as somebody has typed it; its memory is overwritten when nobody has it any more.
///
/// No way of printing it shows it. What it was read from, such as a request's body, is not overwritten.
package final class PlainPassword: @unchecked Sendable {
    /// More is refused before anything is computed of it.
    package static let maximumBytes = 1024

    // Written by the initializer alone, and read until the end: no two threads can meet in it.
    private let bytes: UnsafeMutableRawBufferPointer
    /// How many characters somebody has typed.
    package let characters: Int

    /// Takes a password; `nil` for more than ``maximumBytes``.
    ///
    /// - Parameter text: as it was typed, with all its blanks; nothing is normalized.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes else { return nil }
        characters = text.count
        bytes = .allocate(byteCount: text.utf8.count, alignment: 1)
        bytes.copyBytes(from: text.utf8)
    }

    deinit {
        if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
        bytes.deallocate()
    }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(UnsafeRawBufferPointer(bytes))
    }
}

extension PlainPassword: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "a password" }
    package var debugDescription: String { description }
    /// Keeps `dump` and the tests' own printing from looking inside.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
