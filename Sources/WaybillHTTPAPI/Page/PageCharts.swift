import WaybillSettings

/// Chart.js, of the system: no part of the binary.
package enum PageCharts {
    /// Below the folder of the setting, as Debian's package libjs-chart.js has it.
    private static let path = "chart.js/chart.min.js"
    private static let limit = 2 << 20

    /// The script.
    ///
    /// - Parameter libraries: the folder in which the system has scripts of others (`serve.assets`).
    /// - Returns: its bytes, or why there are none.
    static func read(libraries: String) -> Result<[UInt8], OwnerOnlyFile.Problem> {
        FileContent.read("\(libraries)/\(path)", limit: limit)
    }

    /// Why the page has no charts; `nil`: it has them.
    package static func problem(libraries: String) -> String? {
        switch read(libraries: libraries) {
        case .success: nil
        case .failure(let problem): problem.reason
        }
    }
}
