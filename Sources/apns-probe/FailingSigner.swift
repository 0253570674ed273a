import WaybillAPNS

/// A key service that is away.
struct FailingSigner: APNSSigner {
    struct Away: Error, CustomStringConvertible {
        let description = "the key service is away"
    }

    func signature(for bytes: [UInt8]) throws -> [UInt8] {
        throw Away()
    }
}
