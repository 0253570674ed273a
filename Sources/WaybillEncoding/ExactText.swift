/// Texts as the store and the broker compare them: by their bytes.
///
/// Swift takes two texts for equal that Unicode calls canonically equivalent, such as `é` and `e` with an accent behind it. Whose a
/// record is, and which order is about it, must not depend on who compares.
extension String {
    /// Whether both have the same bytes in UTF-8.
    package func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension String? {
    /// Whether both are absent, or have the same bytes in UTF-8.
    package func isExactly(_ other: String?) -> Bool {
        switch (self, other) {
        case (nil, nil): true
        case (let one?, let other?): one.isExactly(other)
        default: false
        }
    }
}
