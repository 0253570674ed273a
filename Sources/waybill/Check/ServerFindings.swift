import WaybillSettings

/// What was found at the broker or the store.
struct ServerFindings {
    var findings: [Finding]
    /// That nothing of Waybill is there yet, which is not among the others; `nil` where something is.
    var untouched: Finding?

    /// - Parameters:
    ///   - path: `broker` or `store`.
    ///   - what: is not there.
    /// - Returns: that `waybill init` is to run.
    static func untouched(_ path: String, _ what: String) -> Finding {
        Finding(.error, path: path, message: "\(what) is there yet", advice: "Run waybill init.")
    }

    /// One line for all servers: before the first start nothing is anywhere, and one command helps.
    static func untouched(_ servers: [ServerFindings]) -> [Finding] {
        let found = servers.compactMap(\.untouched)
        guard found.count > 1 else { return found }
        return [untouched("installation", "neither a queue at the broker nor an index in the store")]
    }
}
