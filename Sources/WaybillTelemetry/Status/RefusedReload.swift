import WaybillEncoding

/// A configuration that a process was told to read and cannot use: the one before it stays in force.
struct RefusedReload: Hashable, Sendable {
    /// What cannot be used of it, in one line.
    let reason: String
    /// When a reload was refused that none has followed which was not, in milliseconds since 1970.
    let since: Int64

    /// How people are told.
    func trouble(now: Int64) -> Trouble {
        Trouble(
            .reloadRefused,
            "a reload was refused \(AgeText.text(since, now)) ago, and the configuration before it stays in force: \(reason)",
            since: since,
            advice:
                "Correct what is named, and reload again (SIGHUP, or systemctl reload). waybill check, on this host and with the same "
                + "configuration, names everything that is wrong with it."
        )
    }
}
