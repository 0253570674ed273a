import Glibc
import NIOCore

/// Why an address cannot be listened at, in words.
enum ListenFailure {
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
