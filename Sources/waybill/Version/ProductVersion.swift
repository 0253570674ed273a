/// The product's version (semver.org), the one place where it stands: `scripts/check-docs.py` holds the changelog and the contracts to it.
enum ProductVersion {
    static let current = "0.2.0"
}
