import WaybillEncoding
import WaybillMongo

/// A registration that gives way: its token is what it was before.
///
/// Others may have come by that token meanwhile, and think that it is there: it is looked for them before it ends, and after
/// that, as they look for it after they are logged in. Nobody of them loses it by a registration that was refused.
extension PhoneLogIn {
    func giveWay(_ former: DeviceRow?) throws(MongoError) {
        for _ in 0..<Self.roundLimit {
            switch try withdraw(former) {
            case .kept: return
            case .changed: continue
            case .ended(let row): return try reconsider(row, former)
            }
        }
        throw restless
    }

    enum Withdrawal {
        /// It may be pushed to still, or could not before.
        case kept
        /// It has changed since it was read.
        case changed
        /// Nothing is pushed to it any more; as it was until then.
        case ended(DeviceRow)
    }

    /// The first part of ``giveWay(_:)``.
    func withdraw(_ former: DeviceRow?) throws(MongoError) -> Withdrawal {
        // Under another id it is somebody else's by now.
        guard let row = try registrar.row(address), row.device.device.isExactly(device) else { return .kept }
        let ends = row.device.isEnabled && former?.device.isEnabled != true
        if ends, try links.isAnyone(by: token, but: user, on: device, app: address.app) { return .kept }
        guard try registrar.undo(row, to: former, now: now) else { return .changed }
        return ends ? .ended(row) : .kept
    }

    /// The second part: whoever has logged in by the token in between keeps it.
    ///
    /// - Parameters:
    ///   - row: as it was until the first part.
    ///   - former: what that has made of it again.
    /// - Throws: what the store says.
    func reconsider(_ row: DeviceRow, _ former: DeviceRow?) throws(MongoError) {
        let life = former.map { DeviceLife($0.document) }
        // Whoever has registered it in between took it for dead.
        let end = life.map { $0.disabledAt ?? $0.invalidSince } ?? now
        if let end { try links.resumeLife(of: row, endedAt: end) }
        if try links.isAnyone(by: token, but: user, on: device, app: address.app) {
            if let life {
                try registrar.resume(row, after: life)
            } else {
                try registrar.takeBack([row], endedAt: now)
            }
        }
        if let end { try links.resumeLife(of: row, endedAt: end) }
    }
}
