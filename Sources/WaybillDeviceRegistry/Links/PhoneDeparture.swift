import WaybillMongo

/// The end of one phone with its user's account, in steps between which others may log in there.
///
/// Nobody who does is left out: it is looked for them before the phone is disabled and after that, and whoever logs in after the
/// second look finds it disabled, and registers it again.
///
/// *Thread:* its client's.
struct PhoneDeparture {
    private enum Stage {
        case undecided(DeviceRow)
        /// Nobody else was there.
        case alone(DeviceRow)
        /// As it was until then.
        case disabled(DeviceRow)
    }

    private let user: String
    private let users: UserDevices
    private let now: Int64
    private var stage: Stage
    private var turns = 0

    /// - Parameters:
    ///   - row: the phone's token.
    ///   - user: whose account has gone.
    ///   - users: of all apps.
    ///   - now: milliseconds since 1970.
    init(_ row: DeviceRow, of user: String, users: UserDevices, now: Int64) {
        stage = .undecided(row)
        self.user = user
        self.users = users
        self.now = now
    }

    /// Makes the next step.
    ///
    /// - Returns: whether it was the last.
    /// - Throws: what the store says; the same again is safe.
    mutating func next() throws(MongoError) -> Bool {
        switch stage {
        case .undecided(let row):
            let isAlone = try !users.links.isAnyoneElse(than: user, by: row)
            guard row.device.isEnabled else {
                // Whoever disabled it has ended before the second look.
                if !isAlone, row.device.disabledReason == UserDevices.departed, let address = row.device.address {
                    _ = try users.registrar.enable(address, reason: "in_use", now: now)
                }
                return true
            }
            guard isAlone else { return true }
            stage = .alone(row)
            return false
        case .alone(let row):
            if try users.registrar.disable(row, reason: UserDevices.departed, at: now) {
                stage = .disabled(row)
                return false
            }
            return try decideAnew(row)
        case .disabled(let row):
            if try users.links.isAnyoneElse(than: user, by: row) {
                try users.registrar.takeBack([row], endedAt: now, reason: UserDevices.departed)
            }
            // Whoever has registered it in between took it for dead.
            try users.links.resumeLife(of: row, endedAt: now)
            return true
        }
    }

    private mutating func decideAnew(_ row: DeviceRow) throws(MongoError) -> Bool {
        turns += 1
        guard turns < UserDevices.roundLimit else { throw users.restless }
        guard let address = row.device.address, let latest = try users.registrar.row(address) else { return true }
        stage = .undecided(latest)
        return false
    }
}

extension DeviceLinks {
    /// Whether somebody else's pushes go to a token: by a link that knows it, or by one of its phone that knows none.
    fileprivate func isAnyoneElse(than user: String, by row: DeviceRow) throws(MongoError) -> Bool {
        typealias Field = DeviceRegistry.LinkField
        guard let token = row.token, let app = row.device.app else { return false }
        if try isAnyoneElse(than: user, by: [token], app: app) { return true }
        guard let device = row.device.device else { return false }
        let filter = BSONDocument { writer in
            writer.append(Field.app, string: app)
            writer.append(Field.device, string: device)
            writer.append(Field.user) { $0.append("$ne", string: user) }
            writer.append(Field.enabled, bool: true)
            writer.appendNull(Field.token)
        }
        return try links.findOne(filter, options: MongoFindOptions(readsMajority: true)) != nil
    }
}
