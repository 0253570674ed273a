import WaybillCore

/// An expiration, and who set it.
struct Lifetime: Hashable {
    var expiration: Expiration
    var origin: ExpirationOrigin

    /// The default of push types that are of use at once or never, such as `voip`.
    static let immediate = Lifetime(expiration: .immediate, origin: .default)

    /// The default of alerts, and of messages for FCM, in seconds from the message's own time.
    static func seconds(for type: DeliveryType?) -> Int { type == .critical ? 3_600 : 86_400 }

    /// The greatest expiration that a message may have.
    static let lastSecond: Int64 = 4_294_967_295
}

extension ItemReader {
    /// The item's own `expiration`, else the defaults', else the lane's, else Waybill's default.
    ///
    /// - Parameters:
    ///   - own: the item's members.
    ///   - type: its delivery type.
    ///   - isStored: false for push types whose default is 0, whatever the lane has.
    /// - Returns: the expiration, with who set it.
    /// - Throws: the fault of an invalid `expiration`.
    func lifetime(own: Members, of type: DeliveryType?, isStored: Bool) throws(ItemFault) -> Lifetime {
        if let expiration = try expiration(own: own) { return Lifetime(expiration: expiration, origin: .message) }
        guard isStored else { return .immediate }
        return switch laneExpiration {
        case .after(let seconds)?: Lifetime(expiration: end(after: seconds), origin: .lane)
        case .immediate?: Lifetime(expiration: .immediate, origin: .lane)
        case .absent?: Lifetime(expiration: .absent, origin: .lane)
        case nil: Lifetime(expiration: end(after: Lifetime.seconds(for: type)), origin: .default)
        }
    }

    /// A message without a time is only examined, and never sent.
    private func end(after seconds: Int) -> Expiration {
        guard let time else { return .immediate }
        return Expiration(seconds: min(time / 1000 + Int64(seconds), Lifetime.lastSecond))
    }
}
