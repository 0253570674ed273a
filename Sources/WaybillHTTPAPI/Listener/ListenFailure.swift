import Glibc
import NIOCore

/// Why an address cannot be listened at.
package struct ListenFailure: Error, Hashable {
    /// Host and port.
    let address: String
    /// The setting that names it.
    let setting: String
    /// Half a sentence, to follow the address.
    let reason: String
    /// Whether a right is missing: of anything else the same may succeed later.
    package let isRefused: Bool

    init(_ error: any Error, at address: String, setting: String) {
        self.address = address
        self.setting = setting
        reason = Self.words(error)
        isRefused = (error as? IOError)?.errnoCode == EACCES
    }

    /// Half a sentence, to follow the address.
    static func words(_ error: any Error) -> String {
        switch error {
        case let error as IOError: words(code: error.errnoCode) ?? "\(error)"
        case is SocketAddressError: "no host has this name"
        default: "\(error)"
        }
    }

    private static func words(code: CInt) -> String? {
        switch code {
        case EADDRINUSE: "the port is taken"
        case EADDRNOTAVAIL: "this machine has no such address"
        case EACCES: "this user may not listen there: a port below 1024 needs a right of its own"
        default: nil
        }
    }
}

extension ListenFailure: CustomStringConvertible {
    package var description: String {
        "cannot listen at \(address): \(reason). Free the address, or give \(setting) another one"
    }
}
