/// What one guess of a password costs: argon2id's parameters.
package struct PasswordCost: Hashable, Sendable {
    /// In KiB, 8 for each lane at the least.
    package var memory: Int
    /// How often the memory is gone through, 1 at the least.
    package var passes: Int
    /// In how many lanes, 1 at the least; one thread computes them all.
    package var lanes: Int

    /// Without numbers: what OWASP's Password Storage Cheat Sheet asks for, 19 MiB and two passes.
    package init(memory: Int = 19_456, passes: Int = 2, lanes: Int = 1) {
        self.memory = memory
        self.passes = passes
        self.lanes = lanes
    }

    /// Nobody may cost this process more, whatever a stored hash says of itself.
    static let most = PasswordCost(memory: 1 << 20, passes: 64, lanes: 16)

    var isBearable: Bool {
        (8 * lanes...Self.most.memory).contains(memory) && (1...Self.most.passes).contains(passes)
            && (1...Self.most.lanes).contains(lanes)
    }
}
