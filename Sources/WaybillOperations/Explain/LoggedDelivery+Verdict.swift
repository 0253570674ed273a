import WaybillCore
import WaybillDeliveryLog
import WaybillProviders

extension LoggedDelivery {
    /// What was said of its token, for which an event was due; `nil` for nothing against it.
    var verdict: TokenVerdict? {
        Outcome(rawValue: outcome).flatMap {
            ProviderName(ofRecord: provider).tokenVerdict(recorded: $0, statusCode: statusCode)
        }
    }
}
