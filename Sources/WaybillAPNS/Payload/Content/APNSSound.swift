import WaybillEncoding

/// What is to be heard.
///
/// Source: Apple, "Generating a remote notification", the key `sound` and the keys of the `sound` dictionary.
public enum APNSSound: Hashable, Sendable {
    /// A file of the app's main bundle or its `Library/Sounds`; `default` is the system's sound.
    case named(String)
    /// A critical alert: heard in silence too, if the app holds Apple's entitlement for it.
    ///
    /// The volume goes from 0, silent, to 1; `nil` leaves it to the device.
    case critical(name: String = "default", volume: Double? = nil)

    /// The system's sound.
    public static let `default` = Self.named("default")
}

extension APNSSound: ExpressibleByStringLiteral {
    /// Creates a sound from a file's name.
    public init(stringLiteral name: String) {
        self = .named(name)
    }
}

extension JSONWriter {
    mutating func member(_ name: StaticString, _ sound: APNSSound?) {
        switch sound {
        case nil: break
        case .named(let file): member(name, file)
        case .critical(let file, let volume):
            beginObject(name)
            member("critical", 1)
            member("name", file)
            member("volume", volume)
            endObject()
        }
    }
}
