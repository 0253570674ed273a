import WaybillSimulator

extension FuzzTarget {
    /// A rules file of the simulator.
    static let simulatorRules = FuzzTarget("simulator-rules", examples: "simulator-rules", dictionary: "json") {
        bytes in
        do throws(RulesFileError) {
            _ = try RulesFile.parse(bytes)
        } catch {
            try require(!error.problem.isEmpty, "refused without a word")
        }
    }
}
