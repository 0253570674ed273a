import CWaybillArgon2

/// Why a password could not be hashed or compared.
package enum PasswordHashingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The cost is beyond what one password may cost, or below what argon2 needs.
    case cost
    /// The stored text is no hash that this module makes.
    case unreadable
    /// libargon2 says no: its code, and its words for it.
    case library(code: Int32, reason: String)

    package var description: String {
        switch self {
        case .cost: "the cost of passwords is out of bounds"
        case .unreadable: "the stored hash of a password cannot be read"
        case .library(let code, let reason): "libargon2: \(reason) (code \(code))"
        }
    }
}

/// What is kept of a password: argon2id's hash with its salt and its cost, in PHC form.
///
/// Whoever has it can guess on, so no way of printing it shows it. Making and comparing one takes tens of milliseconds of a core
/// and ``PasswordCost/memory`` on the thread that calls.
package struct PasswordHash: Hashable, Sendable {
    /// `$argon2id$v=19$m=19456,t=2,p=1$SALT$HASH`, for the store.
    package let phc: String

    private static let saltBytes = 16
    private static let hashBytes = 32
    private static let prefix = "$argon2id$v=19$"

    /// What the store holds.
    package init(phc: String) {
        self.phc = phc
    }

    /// Hashes a password with a new random salt.
    ///
    /// - Throws: ``PasswordHashingError``.
    package init(_ password: PlainPassword, cost: PasswordCost) throws(PasswordHashingError) {
        var generator = SystemRandomNumberGenerator()
        let salt = (0..<Self.saltBytes).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }
        try self.init(password, cost: cost, salt: salt)
    }

    init(_ password: PlainPassword, cost: PasswordCost, salt: [UInt8]) throws(PasswordHashingError) {
        guard cost.isBearable else { throw .cost }
        let (passes, memory, lanes) = (UInt32(cost.passes), UInt32(cost.memory), UInt32(cost.lanes))
        let length = argon2_encodedlen(
            passes,
            memory,
            lanes,
            UInt32(salt.count),
            UInt32(Self.hashBytes),
            Argon2_id
        )
        var code = Int32(0)
        let text = String(unsafeUninitializedCapacity: length) { buffer in
            buffer.withMemoryRebound(to: CChar.self) { text in
                code = password.withBytes { password in
                    argon2id_hash_encoded(
                        passes,
                        memory,
                        lanes,
                        password.baseAddress,
                        password.count,
                        salt,
                        salt.count,
                        Self.hashBytes,
                        text.baseAddress,
                        length
                    )
                }
                return code == ARGON2_OK.rawValue ? text.firstIndex(of: 0) ?? length : 0
            }
        }
        guard code == ARGON2_OK.rawValue else { throw Self.failure(code) }
        phc = text
    }

    /// Whether this is the password, in a time that says nothing of how much of it is right.
    ///
    /// - Throws: ``PasswordHashingError``.
    package func matches(_ password: PlainPassword) throws(PasswordHashingError) -> Bool {
        guard let cost else { throw .unreadable }
        guard cost.isBearable else { throw .cost }
        let code = password.withBytes { argon2id_verify(phc, $0.baseAddress, $0.count) }
        switch code {
        case ARGON2_OK.rawValue: return true
        case ARGON2_VERIFY_MISMATCH.rawValue: return false
        default: throw Self.failure(code)
        }
    }

    /// Whether it was made at this cost; if not, the next log-in is the moment to hash the password again.
    package func isMade(at cost: PasswordCost) -> Bool { self.cost == cost }

    /// The cost that the text names; `nil` where it is not one that this module makes.
    var cost: PasswordCost? {
        let parts = phc.split(separator: "$", omittingEmptySubsequences: false)
        guard phc.hasPrefix(Self.prefix), parts.count == 6 else { return nil }
        var numbers: [Substring: Int] = [:]
        for pair in parts[3].split(separator: ",", omittingEmptySubsequences: false) {
            let sides = pair.split(separator: "=", omittingEmptySubsequences: false)
            guard sides.count == 2, let number = Int(sides[1]), numbers.updateValue(number, forKey: sides[0]) == nil
            else { return nil }
        }
        guard numbers.count == 3, let memory = numbers["m"], let passes = numbers["t"], let lanes = numbers["p"] else {
            return nil
        }
        return PasswordCost(memory: memory, passes: passes, lanes: lanes)
    }

    private static func failure(_ code: Int32) -> PasswordHashingError {
        .library(code: code, reason: String(cString: argon2_error_message(code)))
    }
}

extension PasswordHash: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "the hash of a password" }
    package var debugDescription: String { description }
    /// Keeps `dump` and the tests' own printing from looking inside.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
