import WaybillFleet

/// Processes as they are seen at one moment.
enum Samples {
    static let now: Int64 = 1_700_000_000_000
    static let ready =
        #"{"ready":true,"checks":[{"name":"store","ok":true}],"lanes":[{"name":"a","state":"open"}]}"#

    static func lease(
        _ role: String = "dispatch",
        process: Int32 = 1,
        startedAgo: Int64 = 3600,
        seenAgo: Int64 = 2,
        isEnded: Bool = false,
        status: String = ready
    ) -> Lease {
        Lease(
            role: role,
            host: "host",
            process: process,
            version: "1.2.3",
            started: now - startedAgo * 1000,
            seen: now - seenAgo * 1000,
            isEnded: isEnded,
            status: Array(status.utf8)
        )
    }

    /// What is concluded from them; `nil` for consumers that the broker does not tell.
    static func health(_ leases: [Lease], consumers: Int? = 1) -> FleetHealth {
        FleetHealth(
            leases: leases,
            consumed: consumers.map { [FleetHealth.Queue(name: "waybill.dispatch", messages: 7, consumers: $0)] },
            now: now
        )
    }
}
