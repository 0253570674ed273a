package import WaybillAudience

extension Campaign {
    /// Devices that were found and that nothing is sent to.
    ///
    /// - Parameter progress: of its parts, by their numbers.
    /// - Returns: the sums.
    package static func leftOut(_ progress: [Int: PostedSummary]) -> AudienceLeftOut {
        progress.values.reduce(into: AudienceLeftOut()) { $0 += $1.leftOut }
    }
}
