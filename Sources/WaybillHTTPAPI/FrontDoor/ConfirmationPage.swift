import HTTPTypes
import Hummingbird
import NIOCore
import WaybillEncoding
import WaybillTLS

/// What a mail's link shows where no app opens it: a button that confirms.
///
/// Looking at it confirms nothing: mail scanners open links. Its one script and its one style stand in it, and the header names
/// their hashes, so that a browser runs nothing else.
enum ConfirmationPage {
    static let path = "/account/confirm/{token}"

    static func add(to router: Router<APIContext>) {
        let page = ByteBuffer(string: html)
        let policy = contentSecurityPolicy
        router.get(RouterPath(path)) { _, _ in
            Response(
                status: .ok,
                headers: [
                    .contentType: "text/html; charset=utf-8", .contentSecurityPolicy: policy,
                    .referrerPolicy: "no-referrer", .init("X-Robots-Tag")!: "noindex",
                ],
                body: ResponseBody(byteBuffer: page)
            )
        }
    }

    private static var contentSecurityPolicy: String {
        [
            "default-src 'none'", "script-src '\(hash(script))'", "style-src '\(hash(style))'", "connect-src 'self'",
            "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        ].joined(separator: "; ")
    }

    private static func hash(_ text: String) -> String {
        "sha256-\(Base64.encode(SHA256Hasher.digest(of: text.utf8).withUnsafeBytes(Array.init)))"
    }

    private static var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>Confirm your e-mail address</title>
        <style>\(style)</style>
        </head>
        <body>
        <main>
        <h1>Confirm your e-mail address</h1>
        <p>Press the button to confirm that this address is yours. If you have not signed up, close this page.</p>
        <p><button type="button" id="confirm">Confirm the address</button></p>
        <p id="answer" role="status"></p>
        <noscript><p>This page needs scripts. You can also open the link on the phone that has the app.</p></noscript>
        </main>
        <script>\(script)</script>
        </body>
        </html>

        """
    }

    private static let style = """
        body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; padding: 2rem 1rem; }
        main { max-width: 34rem; margin: 0 auto; }
        button { font: inherit; padding: .6rem 1.2rem; border: 0; border-radius: .4rem; background: #1a56b0; color: #fff; }
        button:disabled { opacity: .6; }
        """

    private static let script = """
        const button = document.getElementById("confirm");
        const answer = document.getElementById("answer");
        const say = (text) => { answer.textContent = text; };
        button.addEventListener("click", async () => {
          button.disabled = true;
          say("One moment…");
          try {
            const token = location.pathname.split("/").pop();
            const response = await fetch("/account/confirm", {
              method: "PUT",
              headers: { "Content-Type": "application/json" },
              body: JSON.stringify({ token }),
            });
            const result = response.ok ? await response.json() : null;
            if (result && result.success) {
              say("The address is confirmed. You can log in now.");
            } else if (result && result.error.code === 1) {
              say("The address has been confirmed before. You can log in.");
            } else if (result) {
              say("This link has expired. Ask for another mail where you log in.");
            } else if (response.status === 400) {
              say("This link is not complete. Open it as it stands in the mail.");
            } else {
              say("The server cannot do this at the moment. Try again in a minute.");
              button.disabled = false;
            }
          } catch (problem) {
            say("The server cannot be reached. Try again in a minute.");
            button.disabled = false;
          }
        });
        """
}
