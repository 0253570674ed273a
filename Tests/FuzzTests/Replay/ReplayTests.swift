import Testing

/// What the fuzzers have found interesting, again and again: the kept inputs, and a fixed sequence of mutations of them.
///
/// `scripts/fuzz.sh` is the long form. A crash that it finds becomes a file of the target's folder in `Corpus`.
struct ReplayTests {
    @Test(arguments: FuzzTarget.all.map(\.name))
    func everyKeptInputKeepsToTheRules(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        let inputs = try KeptInputs.of(target)
        try #require(!inputs.isEmpty)
        for input in inputs {
            do {
                try target.run(input.bytes)
            } catch {
                Issue.record("\(name), \(input.name): \(error)")
            }
        }
    }

    @Test(arguments: FuzzTarget.all.map(\.name))
    func everyMutationKeepsToTheRules(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        let inputs = try KeptInputs.of(target).map(\.bytes)
        var mutator = Mutator(seed: 0x5741_5942_494C_4C00)
        for round in 0..<1000 {
            let bytes = mutator.mutate(inputs)
            do {
                try target.run(bytes)
            } catch {
                Issue.record("\(name), round \(round), \(bytes.count) bytes: \(error)")
                return
            }
        }
    }

    @Test func everyFolderBelongsToATarget() throws {
        #expect(try Set(KeptInputs.folders()).subtracting(FuzzTarget.all.map(\.name)).isEmpty)
    }
}
