import WaybillMongo

extension ServiceLayout {
    static let indexes: [CollectionIndexes] = [
        (
            services,
            [
                // Whose deletion did somebody begin and not end?
                MongoIndex(
                    name: "deletion",
                    keys: [.ascending("\(ServiceField.deletionBegunAt)")],
                    partialFilter: BSONDocument {
                        $0.append(ServiceField.deletionBegunAt) { $0.append("$exists", bool: true) }
                    }
                ),
                end("\(ServiceField.expiresAt)"),
            ]
        ),
        (
            images,
            [
                // Which images has this service had?
                MongoIndex(name: "service", keys: [.ascending("\(ImageField.service)")]),
                end("\(ImageField.expiresAt)"),
            ]
        ),
        (
            memberships,
            [
                // Whether somebody belongs to a service, and who does; nobody does so twice.
                MongoIndex(
                    name: "service_account",
                    keys: [.ascending("\(MembershipField.service)"), .ascending("\(MembershipField.account)")],
                    isUnique: true
                ),
                // Of which changes has nobody been told?
                MongoIndex(
                    name: "news",
                    keys: [.ascending("\(MembershipField.newsAt)")],
                    partialFilter: BSONDocument {
                        $0.append(MembershipField.newsAt) { $0.append("$exists", bool: true) }
                    }
                ),
                // Whose services are these?
                MongoIndex(
                    name: "account_role",
                    keys: [.ascending("\(MembershipField.account)"), .ascending("\(MembershipField.role)")]
                ),
                end("\(MembershipField.expiresAt)"),
            ]
        ),
        (
            invitations,
            [
                MongoIndex(name: "digest", keys: [.ascending("\(InvitationField.digest)")], isUnique: true),
                // Who is invited to this service?
                MongoIndex(name: "service", keys: [.ascending("\(InvitationField.service)")]),
                // Who has invited whoever reads at this address? Those without a key are beside each other in it, and are few: a former
                // version has made them.
                MongoIndex(
                    name: "email_key",
                    keys: [.ascending("\(InvitationField.emailKey)")],
                    partialFilter: BSONDocument {
                        $0.append(InvitationField.email) { $0.append("$exists", bool: true) }
                    }
                ),
                end("\(InvitationField.expiresAt)"),
            ]
        ),
        (
            keys,
            [
                // Each notification asks by it.
                MongoIndex(name: "digest", keys: [.ascending("\(KeyField.digest)")], isUnique: true),
                // Which secret is this service's key of?
                MongoIndex(
                    name: "service_created",
                    keys: [.ascending("\(KeyField.service)"), .descending("\(KeyField.createdAt)")]
                ),
                // Of whose end are people to be told now?
                MongoIndex(
                    name: "notice",
                    keys: [.ascending("\(KeyField.noticeAt)")],
                    partialFilter: BSONDocument { $0.append(KeyField.noticeAt) { $0.append("$exists", bool: true) } }
                ),
                end("\(KeyField.expiresAt)"),
            ]
        ),
    ]

    /// What has ended goes when its time has come.
    private static func end(_ field: String) -> MongoIndex {
        MongoIndex(name: "end", keys: [.ascending(field)], expireAfterSeconds: 0)
    }
}
