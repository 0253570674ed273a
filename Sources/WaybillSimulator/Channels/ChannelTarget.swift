/// What a request about channels is aimed at, by its method and path.
package enum ChannelTarget: Hashable, Sendable {
    /// `POST /4/broadcasts/apps/<bundle id>`
    case broadcast(bundleID: String)
    /// `POST /1/apps/<bundle id>/channels`
    case create(bundleID: String)
    /// `GET /1/apps/<bundle id>/channels`
    case read(bundleID: String)
    /// `DELETE /1/apps/<bundle id>/channels`
    case delete(bundleID: String)
    /// `GET /1/apps/<bundle id>/all-channels`
    case list(bundleID: String)
    /// Nothing that there is.
    case refused(DocumentedReason)

    package var bundleID: String? {
        switch self {
        case .broadcast(let bundleID), .create(let bundleID), .read(let bundleID), .delete(let bundleID),
            .list(let bundleID):
            bundleID
        case .refused: nil
        }
    }

    private static let broadcasts = Array("/4/broadcasts/apps/".utf8)
    private static let apps = Array("/1/apps/".utf8)

    /// Reads method and path.
    ///
    /// - Returns: `nil` for a request that is not about channels.
    package init?(_ head: RequestHead) {
        guard let path = head[.path], path.count > 1, path[path.startIndex + 1] != UInt8(ascii: "3") else { return nil }
        if path.starts(with: Self.broadcasts) {
            let parts = Self.parts(path.dropFirst(Self.broadcasts.count))
            guard parts.count == 1 else {
                self = .refused(.badPath)
                return
            }
            self = head.isMethod("POST") ? .broadcast(bundleID: parts[0]) : .refused(.methodNotAllowed)
        } else if path.starts(with: Self.apps) {
            let parts = Self.parts(path.dropFirst(Self.apps.count))
            switch parts.count == 2 ? parts[1] : "" {
            case "channels": self = Self.channels(parts[0], head)
            case "all-channels":
                self = head.isMethod("GET") ? .list(bundleID: parts[0]) : .refused(.methodNotAllowed)
            default: self = .refused(.badPath)
            }
        } else {
            return nil
        }
    }

    private static func channels(_ bundleID: String, _ head: RequestHead) -> ChannelTarget {
        if head.isMethod("POST") { return .create(bundleID: bundleID) }
        if head.isMethod("GET") { return .read(bundleID: bundleID) }
        return head.isMethod("DELETE") ? .delete(bundleID: bundleID) : .refused(.methodNotAllowed)
    }

    /// The parts of a path; none of them when one is empty.
    private static func parts(_ path: ArraySlice<UInt8>) -> [String] {
        let parts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return parts.contains { $0.isEmpty } ? [] : parts.map { String(decoding: $0, as: UTF8.self) }
    }
}

extension RequestHead {
    fileprivate func isMethod(_ name: StaticString) -> Bool {
        self[.method]?.elementsEqual(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)) == true
    }
}
