import CWaybillLinux

/// The image of its memory that a process may leave when it crashes.
package enum CoreFile {
    /// Keeps the process from leaving one, whatever the limits allow: it would hold keys, passwords and device tokens.
    ///
    /// Other processes of the same user cannot look into its memory any more, either (`prctl(2)`, `PR_SET_DUMPABLE`).
    package static func forbid() {
        // It fails for values other than 0 and 1 alone.
        _ = wb_forbid_core_file()
    }
}
