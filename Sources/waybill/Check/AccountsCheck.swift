import WaybillProviders
import WaybillSettings

/// Whether people's accounts have what they need: a secret that can be used, and apps that this installation sends to.
///
/// ``AssociationCheck`` fetches the association file.
enum AccountsCheck {
    private static let path = "serve.accounts"

    static func run(_ serve: ServeSettings, lanes: [LaneSettings]) -> [Finding] {
        guard let accounts = serve.accounts else { return [] }
        return root(accounts.roots) + apps(accounts, lanes)
    }

    private static func root(_ roots: AccountSettings.Roots) -> [Finding] {
        do throws(OwnerOnlyFile.Problem) {
            _ = try roots.read()
        } catch {
            return [Finding(.error, error.category, path: "\(path).root_secret_file", message: error.reason)]
        }
        return [Finding(.ok, path: "\(path).root_secret_file", message: "tokens can be signed")]
    }

    private static func apps(_ accounts: AccountSettings, _ lanes: [LaneSettings]) -> [Finding] {
        let bundles = lanes.compactMap { lane in
            switch lane.provider {
            case .apns(let settings): settings.rules.bundleID
            // The association file is Apple's.
            case .fcm: nil
            }
        }
        guard !accounts.apps.isEmpty else {
            return [
                Finding(
                    .warning,
                    path: "\(path).apps",
                    message: "links in mails open in a browser, because no app is named",
                    advice: "Name apps by team id, dot, bundle id, if they are to open them."
                )
            ]
        }
        // Without lanes, as for waybill check --as serve, nothing is known of the apps that are sent to.
        let foreign =
            bundles.isEmpty ? [] : accounts.apps.filter { app in !bundles.contains { app.hasSuffix(".\($0)") } }
        return foreign.map { app in
            Finding(.warning, path: "\(path).apps", message: "no lane sends to the app of \(app); is it misspelled?")
        }
    }
}
