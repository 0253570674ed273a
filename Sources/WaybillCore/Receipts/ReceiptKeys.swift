import WaybillTLS

/// A key that makes and checks capabilities to say what became of a push on the device (``ReceiptCapability``).
///
/// No description, dump or reflection shows what is secret in it.
package struct ReceiptKey: Sendable {
    /// What capabilities call it: 1 to ``mostIDBytes`` lower-case letters and digits.
    package let id: String
    let key: HMACSHA256Key

    package static let mostIDBytes = 8
    /// Fewer would let somebody with one capability try all keys.
    package static let fewestSecretBytes = 32

    /// Creates a key; `nil` where id or secret has another form.
    ///
    /// - Parameters:
    ///   - id: its name, which anybody may see.
    ///   - secret: at least ``fewestSecretBytes``.
    package init?(id: String, secret: [UInt8]) {
        guard Self.isID(id.utf8), secret.count >= Self.fewestSecretBytes else { return nil }
        self.id = id
        key = HMACSHA256Key(secret)
    }

    package static func isID(_ bytes: some Collection<UInt8>) -> Bool {
        (1...mostIDBytes).contains(bytes.count)
            && bytes.allSatisfy {
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
            }
    }
}

/// The keys that capabilities are made with: one makes them, and the one that did before, or will next, checks them too.
package struct ReceiptKeys: Sendable {
    package static let most = 2

    /// Makes capabilities.
    package let current: ReceiptKey
    /// Only checks them.
    package let other: ReceiptKey?

    /// Creates the set; `nil` where both have the same id.
    package init?(current: ReceiptKey, other: ReceiptKey? = nil) {
        guard other?.id != current.id else { return nil }
        self.current = current
        self.other = other
    }

    /// Their names, the one that makes capabilities first.
    package var ids: [String] { [current.id] + (other.map { [$0.id] } ?? []) }

    func key(_ id: UnsafeBufferPointer<UInt8>) -> ReceiptKey? {
        if current.id.utf8.elementsEqual(id) { return current }
        guard let other, other.id.utf8.elementsEqual(id) else { return nil }
        return other
    }
}

/// What a key file says: one line for each key, its id, a blank and its secret in any characters but blanks.
///
/// The first one makes capabilities. Empty lines and those that begin with `#` count for nothing.
package enum ReceiptKeyFile {
    /// Why there is no key in it; names the line and repeats nothing of it.
    package struct Problem: Error, Hashable {
        package let reason: String
    }

    package static func read(_ bytes: [UInt8]) throws(Problem) -> ReceiptKeys {
        var keys: [ReceiptKey] = []
        for (number, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
        {
            var line = line
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            guard let first = line.first, first != UInt8(ascii: "#") else { continue }
            let words = line.split(separator: UInt8(ascii: " "))
            guard words.count == 2,
                let key = ReceiptKey(id: String(decoding: words[0], as: UTF8.self), secret: Array(words[1]))
            else {
                throw Problem(
                    reason:
                        "line \(number + 1) must be an id of 1 to \(ReceiptKey.mostIDBytes) lower-case letters and digits, a "
                        + "blank, and at least \(ReceiptKey.fewestSecretBytes) secret characters"
                )
            }
            keys.append(key)
        }
        guard let current = keys.first, keys.count <= ReceiptKeys.most else {
            throw Problem(reason: "has \(keys.count) keys, and must have one or \(ReceiptKeys.most)")
        }
        guard let both = ReceiptKeys(current: current, other: keys.dropFirst().first) else {
            throw Problem(reason: "has two keys with the id \(current.id)")
        }
        return both
    }
}
