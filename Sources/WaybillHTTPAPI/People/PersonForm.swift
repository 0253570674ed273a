import HTTPTypes
import WaybillAccounts
import WaybillPassword
import WaybillSettings

/// What people type, for all APIs that take it: 400 for what has not the form.
enum PersonForm {
    /// More characters are no password of a person.
    static let longestPassword = 128
    private static let sessionNames = 1...64

    static func name(_ text: String) throws(Problem) -> AccountName {
        guard let name = AccountName(text) else {
            throw Problem(
                .badRequest,
                "a username has \(AccountName.lengths.lowerBound) to \(AccountName.lengths.upperBound) letters, digits, "
                    + "dots, underscores and hyphens"
            )
        }
        return name
    }

    static func address(_ text: String) throws(Problem) -> EmailAddress {
        guard let address = EmailAddress(text), address.isPublic else {
            var problem = Problem(.badRequest, "this is no e-mail address")
            // Somebody tries to write into a mail's head.
            if text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) { problem.refusal = .mailHeader }
            throw problem
        }
        return address
    }

    /// A password of so many characters at the least.
    static func password(_ text: String, minimum: Int) throws(Problem) -> PlainPassword {
        let range = minimum...longestPassword
        guard let password = PlainPassword(text), range.contains(password.characters) else {
            throw Problem(.badRequest, "a password has \(range.lowerBound) to \(range.upperBound) characters")
        }
        return password
    }

    /// A password that nobody tries first: none that very many have, and not the name or the address.
    static func newPassword(
        _ text: String,
        _ settings: AccountSettings,
        _ name: AccountName?,
        _ email: EmailAddress?
    ) throws(Problem) -> PlainPassword {
        let password = try password(text, minimum: settings.minimumPassword)
        guard !CommonPasswords.contain(text), !CommonPasswords.areOf(name, email, text) else { throw guessable }
        return password
    }

    static let guessable = Problem(.badRequest, "this password is one of those that are tried first; choose another")

    /// What somebody calls a device or browser.
    static func sessionName(_ text: String) throws(Problem) -> String {
        guard sessionNames.contains(text.count), text.utf8.count <= 256,
            text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else {
            throw Problem(
                .badRequest,
                "the name of a session has \(sessionNames.lowerBound) to \(sessionNames.upperBound) characters"
            )
        }
        return text
    }
}
