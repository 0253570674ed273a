package import WaybillCore

extension Lane {
    /// A lane to APNs; the parameters are those of ``Lane`` and ``APNSLane``.
    package init(
        name: String,
        environment: Environment,
        bundleID: String,
        maxAge: Int? = nil,
        expiration: LaneExpiration? = nil,
        receipts: ReceiptRule = .unavailable,
        collapse: CollapseRule = .content
    ) {
        self.init(
            name: name,
            maxAge: maxAge,
            expiration: expiration,
            receipts: receipts,
            provider: .apns(APNSLane(environment: environment, bundleID: bundleID, collapse: collapse))
        )
    }
}
