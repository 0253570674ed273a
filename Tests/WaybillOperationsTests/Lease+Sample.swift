import WaybillFleet

extension Lease {
    /// What a process of push-1 says of itself.
    static func sample(role: String = "dispatch", _ status: String, started: Int64? = nil, seen: Int64) -> Lease {
        Lease(
            role: role,
            host: "push-1",
            process: 1,
            version: "1",
            started: started ?? seen,
            seen: seen,
            status: Array(status.utf8)
        )
    }

    /// A dispatcher that tells of many dead tokens on a lane.
    static func storm(lane: String, advice: String, started: Int64? = nil, seen: Int64) -> Lease {
        let trouble = #"{"kind":"dead_tokens","text":"a storm","lane":"\#(lane)","advice":"\#(advice)"}"#
        return sample(#"{"ready":true,"troubles":[\#(trouble)]}"#, started: started, seen: seen)
    }
}
