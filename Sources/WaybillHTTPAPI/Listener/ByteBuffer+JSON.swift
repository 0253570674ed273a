import NIOCore
import WaybillEncoding

extension ByteBuffer {
    /// A JSON text as it goes out: what a terminal acts on, or nobody sees, is escaped, as the commands' `--json` has it.
    ///
    /// People look at answers with `curl`.
    init(json: [UInt8]) { self.init(bytes: JSONText.terminalSafe(json)) }
}
