import WaybillMongo

/// Lets three mails of a kind go to an account within an hour; the links of the latest three hold at once.
struct MailPace {
    private static let most: Int64 = 3
    /// In milliseconds.
    private static let interval: Int64 = 3_600_000

    /// Where tokens of the mails are.
    let field: StaticString
    let third: StaticString
    let firstSentAt: StaticString

    static let confirmations = MailPace(
        field: Accounts.AccountField.confirmations,
        third: Accounts.AccountField.thirdConfirmation,
        firstSentAt: Accounts.AccountField.firstConfirmationSentAt
    )
    static let resets = MailPace(
        field: Accounts.AccountField.resets,
        third: Accounts.AccountField.thirdReset,
        firstSentAt: Accounts.AccountField.firstResetSentAt
    )

    /// Of a filter: there are fewer than three, or the third latest mail is older than an hour.
    func require(_ filter: BSONWriter, now: Int64) {
        filter.append(
            "$or",
            array: { either in
                either.append { $0.append(third) { $0.append("$exists", bool: false) } }
                either.append { $0.append(firstSentAt) { $0.append("$lte", date: now - Self.interval) } }
            }
        )
    }

    /// Of an update: another mail's token, in the place of the oldest of three.
    func push(_ update: BSONWriter, _ entry: BSONDocument) {
        update.append("$push") { push in
            push.append(field) { entries in
                entries.append("$each", array: { $0.append(document: entry) })
                entries.append("$slice", int64: -Self.most)
            }
        }
    }

    /// Of a filter: this mail's token is there, and its time is not over.
    ///
    /// - Parameters:
    ///   - filter: is written to.
    ///   - digest: the token's.
    ///   - passwordChangedAt: the date that the account had when the mail went; `nil`: whichever.
    ///   - now: milliseconds since 1970.
    func require(_ filter: BSONWriter, _ digest: SecretDigest, passwordChangedAt: Int64? = nil, now: Int64) {
        filter.append(field) { entries in
            entries.append("$elemMatch") { entry in
                entry.append(Accounts.AccountField.digest, string: digest.hexadecimal)
                entry.append(Accounts.AccountField.expiresAt) { $0.append("$gt", date: now) }
                if let passwordChangedAt {
                    entry.append(Accounts.AccountField.passwordChangedAt, date: passwordChangedAt)
                }
            }
        }
    }
}
