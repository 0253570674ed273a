package import WaybillSettings

/// A file that the settings name and that cannot be used.
package struct SetupError: Error, CustomStringConvertible {
    /// Decides the exit status.
    package let category: Finding.Category
    package let description: String

    init(_ problem: OwnerOnlyFile.Problem) {
        category = problem.category
        description = problem.reason
    }
}
