import Testing
import WaybillTestSupport

/// `serve` ends at its start where its address is taken, and nothing else of its process begins.
@Suite("An address that is taken")
struct TakenAddressTests {
    @Test("ends serve, and run before any role begins", arguments: [["serve"], ["run", "--roles", "dispatch,serve"]])
    func ends(command: [String]) throws {
        let other = try SilentServer()
        let address = "127.0.0.1:\(other.port)"
        let result = try Installation().run(arguments: command + ["--set", "serve.listen=\(address)"])
        #expect(result.status == 69, "\(result.everything)")
        let words =
            "waybill \(command[0]): cannot listen at \(address): the port is taken. Free the address, or give serve.listen"
        #expect(result.errors.contains(words), "\(result.errors)")
        #expect(!result.errors.contains("dispatch.") && result.output.isEmpty)
    }
}
