import Testing
import WaybillEncoding
import WaybillTLS

@Suite struct RS256Tests {
    static let header =
        #"{"alg":"RS256","typ":"JWT","kid":"0f1e2d3c4b5a69788796a5b4c3d2e1f001234567"}"#
    static let claims =
        #"{"iss":"waybill-sender@waybill-demo.iam.gserviceaccount.com","#
        + #""scope":"https://www.googleapis.com/auth/firebase.messaging","#
        + #""aud":"https://oauth2.googleapis.com/token","iat":1790000000,"exp":1790003600}"#

    @Test func signsTheSameWayAndVerifies() throws {
        let key = try RS256PrivateKey.generate()
        let text = Array(
            "\(Base64URL.encode(Array(Self.header.utf8))).\(Base64URL.encode(Array(Self.claims.utf8)))".utf8
        )
        #expect(text.count == 370)
        #expect(
            SHA256Hasher.digest(of: text).hexadecimal
                == "bacb8a72a6dccd4bf7a78bfb489d5ab8b29dbae748351e80a403df79160022f0"
        )
        let signature = try key.sign(text)
        #expect(signature.count == 256)
        #expect(try key.sign(text) == signature)
        let again = try RS256PrivateKey(pem: key.pem)
        #expect(try again.sign(text) == signature)
        let publicKey = try RS256PublicKey(pem: key.publicKey.pem)
        #expect(publicKey.isValid(signature: signature, for: text))
        #expect(!publicKey.isValid(signature: signature, for: text + [0]))
        #expect(!publicKey.isValid(signature: [], for: text))
        #expect(try !RS256PrivateKey.generate().publicKey.isValid(signature: signature, for: text))
    }

    @Test func refusesOtherKeys() throws {
        let elliptic = try ES256PrivateKey.generate()
        for (pem, code) in [
            (elliptic.pem, TLSError.Code.notRSA), (Array("no key".utf8), .notAKey), ([], .notAKey),
        ] {
            do {
                _ = try RS256PrivateKey(pem: pem)
                Issue.record("taken: \(code)")
            } catch {
                #expect(error.code == code)
            }
        }
        #expect(throws: TLSError.self) { try RS256PublicKey(pem: elliptic.publicKey.pem) }
    }
}
