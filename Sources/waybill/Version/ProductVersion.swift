/// The product's version (semver.org), the one place where it stands.
enum ProductVersion {
    static let current = "0.1.0"
}
