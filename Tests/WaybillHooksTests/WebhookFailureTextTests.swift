import Testing
import WaybillOutbox

@testable import WaybillHooks
@testable import WaybillTransfer

/// What a webhook's owner learns of names in the operator's network: nothing, unless they are an operator's client.
struct WebhookFailureTextTests {
    private static let refused = TransferError.refusedAddress
    private static let missing = TransferError.missingAddress("Couldn't resolve host name")

    @Test func aServiceIsToldTheSameOfBoth() {
        let service = WebhookOwner.service("backups")
        let text = WebhookFailureText.text(Self.refused, for: service)
        #expect(text == WebhookFailureText.text(Self.missing, for: service))
        #expect(text == "its name leads to no address that may be connected to")
        #expect(WebhookFailureText.text(TransferError("Timeout was reached"), for: service) == "Timeout was reached")
    }

    @Test func aClientIsToldWhichItIs() {
        let client = WebhookOwner.client("acme")
        #expect(WebhookFailureText.text(Self.refused, for: client) == Self.refused.description)
        #expect(WebhookFailureText.text(Self.missing, for: client) == "Couldn't resolve host name")
    }
}
