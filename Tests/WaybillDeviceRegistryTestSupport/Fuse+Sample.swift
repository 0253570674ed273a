package import WaybillDeviceRegistry

extension Fuse.Cause {
    /// A storm in which 90 of 100 answers called their token dead.
    package static func sample(at: Int64, since: Int64) -> Fuse.Cause {
        Fuse.Cause(
            at: at,
            since: since,
            answers: 100,
            invalid: 90,
            limit: 200,
            usual: nil,
            reason: "Unregistered",
            words: "this looks like a test"
        )
    }
}

extension Fuse {
    /// The fuse of the lane parcels and com.example.app, about which nobody has decided while it is blown.
    package static func sample(_ state: State, _ cause: Cause, decision: FuseDecision) -> Fuse {
        Fuse(
            name: FuseName(lane: "parcels", app: "com.example.app"),
            state: state,
            cause: cause,
            decision: state == .blown ? nil : decision
        )
    }
}
