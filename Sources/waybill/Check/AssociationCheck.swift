import Foundation
import WaybillHTTPAPI
import WaybillSettings
import WaybillTransfer

/// Whether the association file is to be had as Apple's servers ask for it: over https, without a redirect, as JSON of 128 KiB at most.
///
/// What Apple's servers see, and what phones have been given by them, cannot be proved from here.
enum AssociationCheck {
    private static let path = "serve.accounts.apps"
    private static let mostBytes = 128 << 10
    private static let patience = Duration.seconds(10)

    /// Fetches the file.
    ///
    /// - Parameters:
    ///   - serve: nothing is asked where no app is named, or links lead to http, which is for this machine alone.
    ///   - caFile: PEM file with the authorities; `nil` means the system's.
    /// - Returns: none where nothing was asked, else one.
    static func run(_ serve: ServeSettings, caFile: String? = nil) -> [Finding] {
        guard let accounts = serve.accounts, !accounts.apps.isEmpty, accounts.baseURL.hasPrefix("https://") else {
            return []
        }
        let url = accounts.baseURL + SiteAssociationFile.path
        let request = TransferRequest(url: url, caFile: caFile, timeLimit: patience, byteLimit: mostBytes)
        do throws(TransferError) {
            return [judge(try TransferClient.send(request), url: url, apps: accounts.apps)]
        } catch {
            return [
                warning(
                    "\(url) cannot be fetched from here: \(error)",
                    "Does waybill serve run, and what is in front of it pass that path?"
                )
            ]
        }
    }

    /// - Parameters:
    ///   - answer: to a GET.
    ///   - url: that was asked.
    ///   - apps: that the configuration names.
    /// - Returns: `ok`, or a warning with its advice.
    static func judge(_ answer: TransferResponse, url: String, apps: [String]) -> Finding {
        switch answer.status {
        case 200: break
        case 300..<400:
            return warning(
                "\(url) is answered by a redirect (\(answer.status)), which Apple does not follow",
                "Serve the file at that address itself."
            )
        default:
            return warning(
                "\(url) is answered with status \(answer.status)",
                "Let what is in front of waybill serve pass that path."
            )
        }
        let type = answer.contentType?.split(separator: ";").first.map {
            $0.trimmingCharacters(in: .whitespaces).lowercased()
        }
        guard type == "application/json" else {
            let found = type.map { Cell.printable(String($0.prefix(80))) } ?? "nothing"
            return warning(
                "\(url) says of its type \(found), and not application/json",
                "Let what is in front of waybill serve leave Content-Type as it is."
            )
        }
        guard let differences = SiteAssociationFile.differences(answer.body, apps: apps) else {
            return warning(
                "\(url) is no JSON object",
                "Another server answers there: let it pass that path to waybill serve."
            )
        }
        guard differences.isEmpty else {
            return warning(
                "\(url) differs from the configuration: \(Cell.printable(differences.joined(separator: "; ")))",
                "Restart waybill serve with this configuration, or look who else answers there."
            )
        }
        let host = url.dropFirst("https://".count).prefix { $0 != "/" && $0 != ":" }
        let message =
            "\(url) is as the configuration says; whether Apple's servers reach it, and what phones have of it, cannot be seen "
            + "from here: https://app-site-association.cdn-apple.com/a/v1/\(host) shows what Apple has"
        return Finding(.ok, path: path, message: message)
    }

    private static func warning(_ message: String, _ advice: String) -> Finding {
        Finding(.warning, path: path, message: message, advice: advice)
    }
}
