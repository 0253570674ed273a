import Testing
import WaybillOperations

@Suite("Which rejected messages are meant")
struct RejectedSelectionTests {
    @Test(
        "a reason that no message can have is named, with the nearest",
        arguments: [
            ("unknown_lane", nil), ("not_json", nil), ("delivery_limit", nil), ("expired", nil), ("unknown", nil),
            ("unknwon_lane", "did you mean unknown_lane?"), ("delivery-limit", "did you mean delivery_limit?"),
            ("nothing of the kind", "known: ambiguous_form, bad_encoding"), ("", "known: "),
        ] as [(String, String?)]
    )
    func fault(reason: String, expected: String?) {
        let fault = RejectedSelection.fault(ofReason: reason)
        #expect((fault == nil) == (expected == nil), "\(fault ?? "")")
        if let expected { #expect(fault?.contains(expected) == true, "\(fault ?? "")") }
    }
}
