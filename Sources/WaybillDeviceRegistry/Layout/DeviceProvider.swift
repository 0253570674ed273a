import WaybillCore
import WaybillEncoding
import WaybillProviders

/// The push services that a device of the registry may belong to, whether or not a lane sends to them yet.
package enum DeviceProvider: String, CaseIterable, Sendable {
    case apns
    case fcm

    /// A token as the registry holds it.
    ///
    /// APNs' tokens are hexadecimal and kept in lower case; the case of FCM's counts.
    ///
    /// - Parameters:
    ///   - text: as the app tells it.
    ///   - kind: what it is.
    /// - Returns: `nil` if it is no token of this push service.
    package func token(_ text: String, kind: DeviceTokenKind) -> String? {
        var text = text
        return text.withUTF8 { bytes in
            switch (self, kind) {
            case (.apns, .token):
                guard bytes.count >= 2, bytes.count % 2 == 0, bytes.count <= APNSLimits().maxTokenDigits,
                    Hexadecimal.scan(UnsafeRawBufferPointer(bytes)).isHexadecimal
                else { return nil }
                // Of these digits, only letters have the bit 0x40.
                let lower = bytes.map { $0 & 0x40 != 0 ? $0 | 0x20 : $0 }
                return String(decoding: lower, as: UTF8.self)
            case (.apns, .installation): return nil
            case (.fcm, .token):
                guard (1...DeviceLimits.tokenBytes).contains(bytes.count),
                    bytes.allSatisfy({ (0x21...0x7E).contains($0) })
                else { return nil }
                return String(decoding: bytes, as: UTF8.self)
            case (.fcm, .installation):
                guard bytes.count == Self.installationBytes, (UInt8(ascii: "c")...UInt8(ascii: "f")).contains(bytes[0]),
                    bytes.allSatisfy(Self.isURLSafe)
                else { return nil }
                return String(decoding: bytes, as: UTF8.self)
            }
        }
    }

    /// What a token has here, in words.
    func tokenForm(_ kind: DeviceTokenKind) -> String {
        switch (self, kind) {
        case (.apns, .token): "one has 2 to \(APNSLimits().maxTokenDigits) hexadecimal digits, an even number of them"
        case (.apns, .installation): "there are tokens alone"
        case (.fcm, .token): "one has 1 to \(DeviceLimits.tokenBytes) visible ASCII characters"
        case (.fcm, .installation):
            "one has \(Self.installationBytes) letters, digits, hyphens and underscores, the first of them c, d, e or f"
        }
    }

    private static let installationBytes = 22

    private static func isURLSafe(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// What the push service addresses.
package enum DeviceTokenKind: String, CaseIterable, Sendable {
    /// A device token, or FCM's registration token.
    case token
    /// FCM's installation id.
    case installation
}

/// What a device may have at most; `schemas/device.schema.json` says the same.
package enum DeviceLimits {
    /// Characters of FCM's registration tokens, all of them ASCII.
    package static let tokenBytes = 4096
    /// Characters of an app, a client, a device's own id, a user.
    package static let nameCharacters = 256
    package static let tags = 64
    package static let tagCharacters = 64
    package static let localeCharacters = LocaleName.mostCharacters
    package static let timeZoneCharacters = 64
    package static let appVersionCharacters = 64
    /// Events of a device's history; the oldest go.
    package static let history = 20
    /// How far the clock that dates a registration may be ahead of ours, in milliseconds.
    package static let clockSkew: Int64 = 120_000
}
