import WaybillOutbox
import WaybillTransfer

/// What the owner of an endpoint is told of an attempt that had no answer.
enum WebhookFailureText {
    /// Of a name that leads nowhere, and of one that leads to an address nobody may connect to.
    private static let withoutAddress = "its name leads to no address that may be connected to"

    /// Whoever has a service is no operator: they do not learn which names there are in the operator's own network.
    static func text(_ error: TransferError, for owner: WebhookOwner) -> String {
        switch owner {
        case .client: error.description
        case .service: error.isWithoutAddress ? withoutAddress : error.description
        }
    }
}
