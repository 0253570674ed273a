import WaybillTLS

/// Turns a device token into what the log holds of it: when it is written, and when somebody looks for it.
struct TokenForm {
    let tokens: DeliveryLogOptions.Tokens

    /// Lends the stored form of a token that is written as it is sent, itself ASCII, for the length of the closure.
    func withStored<R>(_ token: ArraySlice<UInt8>, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        switch tokens {
        case .plain: token.withUnsafeBytes(body)
        case .digest(let key): HMACSHA256.authenticate(token, key: key).withHexadecimal(body)
        }
    }

    /// The stored form as text.
    func stored(_ token: ArraySlice<UInt8>) -> String {
        withStored(token) { String(decoding: $0, as: UTF8.self) }
    }
}

extension SHA256Digest {
    /// The length of the hexadecimal form.
    static let hexadecimalCount = 64

    /// Lends the 64 lower-case hexadecimal digits, on the stack.
    func withHexadecimal<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        withUnsafeTemporaryAllocation(byteCount: Self.hexadecimalCount, alignment: 1) { digits in
            writeHexadecimal(to: digits)
            return body(UnsafeRawBufferPointer(digits))
        }
    }
}
