import WaybillEncoding

/// Reads files with secrets in them, and refuses those that other users can read.
package enum OwnerOnlyFile {
    /// Why a file was refused.
    package struct Problem: Error, Hashable, Sendable {
        package let category: Finding.Category
        /// Names the file, and the command that helps.
        package let reason: String
    }

    /// The content of a regular file that nobody but its owner (and root) can read.
    ///
    /// The open file itself is examined, so that it cannot be exchanged between the check and the reading.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - limit: the most bytes it may hold.
    /// - Returns: the bytes, or why not.
    package static func read(_ path: String, limit: Int) -> Result<[UInt8], Problem> {
        FileContent.content(path, limit: limit).flatMap { content in
            guard content.permissions & 0o077 == 0 else {
                let mode = String(content.permissions & 0o777, radix: 8)
                return .failure(
                    Problem(
                        category: .permission,
                        reason: "\(path) can be used by others (mode \(mode)); run: chmod 600 \(path)"
                    )
                )
            }
            return .success(content.bytes)
        }
    }
}

/// Reads small files as a whole, and says what is wrong with them as the other findings do.
package enum FileContent {
    /// The content of a regular file.
    package static func read(_ path: String, limit: Int) -> Result<[UInt8], OwnerOnlyFile.Problem> {
        content(path, limit: limit).map(\.bytes)
    }

    /// The content of a regular file, and whether its group or everybody may read it.
    static func readWithAccess(_ path: String, limit: Int) -> Result<([UInt8], isOpen: Bool), OwnerOnlyFile.Problem> {
        content(path, limit: limit).map { ($0.bytes, isOpen: $0.permissions & 0o044 != 0) }
    }

    fileprivate static func content(
        _ path: String,
        limit: Int
    ) -> Result<SmallFile.Content, OwnerOnlyFile.Problem> {
        do throws(SmallFile.Problem) {
            return .success(try SmallFile.read(path, limit: limit, mustBeRegular: true))
        } catch {
            return .failure(
                OwnerOnlyFile.Problem(
                    category: error.kind == .forbidden ? .permission : .configuration,
                    reason: error.description
                )
            )
        }
    }
}
