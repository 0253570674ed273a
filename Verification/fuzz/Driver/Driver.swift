import FuzzTargets
import Glibc

/// The target that `WAYBILL_FUZZ_TARGET` names: libFuzzer keeps the command line for itself.
private let target: FuzzTarget = {
    let name = getenv("WAYBILL_FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget.named(name) else {
        say("WAYBILL_FUZZ_TARGET must be one of: \(FuzzTarget.all.map(\.name).joined(separator: ", "))")
        _exit(64)
    }
    return target
}()

/// What libFuzzer calls with every input; a property that does not hold is a crash like any other.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        try target.run(Array(UnsafeBufferPointer(start: start, count: count)))
    } catch {
        say("\(target.name): \(error)")
        abort()
    }
    return 0
}

private func say(_ text: String) {
    let line = Array("waybill-fuzz: \(text)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
}
