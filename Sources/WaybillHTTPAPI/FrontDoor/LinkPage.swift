import HTTPTypes
import Hummingbird
import NIOCore
import WaybillEncoding
import WaybillTLS

/// What a mail's link shows where no app opens it: a button, and what is to be typed.
///
/// Looking at it does nothing: mail scanners open links. Its one script and its one style stand in it, and the header names
/// their hashes, so that a browser runs nothing else.
struct LinkPage {
    /// What a link is for.
    enum Kind: CaseIterable {
        case confirm, reset, newAddress, formerAddress

        /// What a link's path begins with.
        var prefix: String {
            switch self {
            case .confirm: "/account/confirm/"
            case .reset: "/account/reset/"
            case .newAddress: "/account/new-address/"
            case .formerAddress: "/account/former-address/"
            }
        }

        var path: String { prefix + "{token}" }
    }

    private let title: String
    private let words: String
    private let button: String
    /// Where the link's token goes, by PUT.
    private let route: String
    private let takesPassword: Bool
    private let done: String
    /// By the answer's status.
    private let refusals: [(status: Int, words: String)]

    init(_ kind: Kind) {
        let again = "This link is not complete. Open it as it stands in the mail."
        switch kind {
        case .confirm:
            title = "Confirm your e-mail address"
            words =
                "If you have not signed up, close this page: somebody else would have an account with your address. If you have, press the button to confirm it."
            button = "Confirm the address"
            route = "/v1/account/confirmation"
            takesPassword = false
            done = "The address is confirmed. You can log in now."
            refusals = [
                (400, again), (409, "The address has been confirmed before. You can log in."),
                (410, "This link has expired. Ask for another mail where you log in."),
            ]
        case .reset:
            title = "Choose a new password"
            words = "Wherever you are logged in, that ends. If you have not asked for this, close this page."
            button = "Change the password"
            route = "/v1/account/password-reset"
            takesPassword = true
            done = "The password is changed. You can log in now."
            refusals = [
                (400, "This password is too short or too easily guessed, or the link is not complete."),
                (410, "This link was used or has expired. Ask for another mail where you log in."),
            ]
        case .newAddress:
            title = "Confirm your new e-mail address"
            words = "Press the button to use this address for your account from now on."
            button = "Confirm the address"
            route = "/v1/account/email/confirmation"
            takesPassword = false
            done = "The address is changed."
            refusals = [
                (400, again), (409, "This address has an account already."),
                (410, "This link was used or has expired. Change the address again in your account."),
            ]
        case .formerAddress:
            title = "Change the e-mail address back"
            words = "Press the button if it was not you who has changed it. Wherever somebody is logged in, that ends."
            button = "Change it back"
            route = "/v1/account/email/reversal"
            takesPassword = false
            done = "The address is changed back. A mail with a link for a new password is on its way."
            refusals = [
                (400, again), (409, "This address has another account by now."),
                (410, "This link was used or has expired."),
            ]
        }
    }

    static func add(to router: Router<APIContext>) {
        for kind in Kind.allCases {
            let page = LinkPage(kind)
            let (html, policy) = (ByteBuffer(string: page.html), page.contentSecurityPolicy)
            router.get(RouterPath(kind.path)) { _, _ in
                Response(
                    status: .ok,
                    headers: [
                        .contentType: "text/html; charset=utf-8", .contentSecurityPolicy: policy,
                        .referrerPolicy: "no-referrer", .init("X-Robots-Tag")!: "noindex",
                    ],
                    body: ResponseBody(byteBuffer: html)
                )
            }
        }
    }

    private var contentSecurityPolicy: String {
        [
            "default-src 'none'", "script-src '\(Self.hash(script))'", "style-src '\(Self.hash(Self.style))'",
            "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
            "require-trusted-types-for 'script'", "trusted-types 'none'",
        ].joined(separator: "; ")
    }

    private static func hash(_ text: String) -> String {
        "sha256-\(Base64.encode(SHA256Hasher.digest(of: text.utf8).withUnsafeBytes(Array.init)))"
    }

    private var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(title)</title>
        <style>\(Self.style)</style>
        </head>
        <body>
        <main>
        <h1>\(title)</h1>
        <p>\(words)</p>
        \(takesPassword ? Self.field : "")
        <p><button type="button" id="go">\(button)</button></p>
        <p id="answer" role="status"></p>
        <noscript><p>This page needs scripts. You can also open the link on the phone that has the app.</p></noscript>
        </main>
        <script>\(script)</script>
        </body>
        </html>

        """
    }

    private static let field = """
        <p><label for="password">New password</label><br>
        <input type="password" id="password" autocomplete="new-password" maxlength="128"></p>
        """

    private static let style = """
        body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; padding: 2rem 1rem; }
        main { max-width: 34rem; margin: 0 auto; }
        input { font: inherit; padding: .5rem; width: 100%; box-sizing: border-box; }
        button { font: inherit; padding: .6rem 1.2rem; border: 0; border-radius: .4rem; background: #1a56b0; color: #fff; }
        button:disabled { opacity: .6; }
        """

    private var script: String {
        let cases = refusals.map { "\($0.status): \"\($0.words)\"" }.joined(separator: ", ")
        return """
            const button = document.getElementById("go");
            const answer = document.getElementById("answer");
            const password = document.getElementById("password");
            const refusals = { \(cases) };
            const say = (text) => { answer.textContent = text; };
            button.addEventListener("click", async () => {
              button.disabled = true;
              say("One moment…");
              try {
                const body = { token: location.pathname.split("/").pop() };
                if (password) body.password = password.value;
                const response = await fetch("\(route)", {
                  method: "PUT",
                  headers: { "Content-Type": "application/json" },
                  body: JSON.stringify(body),
                });
                if (response.ok) {
                  say("\(done)");
                  return;
                }
                say(refusals[response.status] || "The server cannot do this at the moment. Try again in a minute.");
                button.disabled = response.status in refusals && !(password && response.status === 400);
              } catch (problem) {
                say("The server cannot be reached. Try again in a minute.");
                button.disabled = false;
              }
            });
            """
    }
}
