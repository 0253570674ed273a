/// Whether pushes of a lane carry capabilities, so that devices can say what became of them.
package enum ReceiptRule: Hashable, Sendable {
    /// None can: the installation has no keys for them.
    case unavailable
    /// Those that say so.
    case onRequest
    /// Also those whose content Waybill writes, unless they say that they do not.
    case byDefault

    var isDefault: Bool { self == .byDefault }
}
