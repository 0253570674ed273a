/// One request: GET, or POST where there is something to post.
package struct TransferRequest: Sendable {
    /// A user and a password for HTTP's Basic scheme (RFC 7617).
    package struct Credentials: Sendable {
        package let user: String
        package let password: String

        package init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }

    /// What a POST sends.
    package struct Post: Sendable {
        package let body: [UInt8]
        /// Lines such as `Content-Type: application/json`, without line breaks.
        package let headers: [String]

        package init(body: [UInt8], headers: [String]) {
            self.body = body
            self.headers = headers
        }
    }

    /// `http://` or `https://`, without user and password.
    package var url: String
    package var credentials: Credentials?
    /// `nil`: a GET request.
    package var post: Post?
    /// PEM file with the authorities for `https`; `nil` means the system's.
    package var caFile: String?
    /// From the beginning to the last byte of the answer.
    package var timeLimit: Duration
    /// The largest body that is taken, in bytes.
    package var byteLimit: Int

    package init(
        url: String,
        credentials: Credentials? = nil,
        caFile: String? = nil,
        timeLimit: Duration = .seconds(5),
        byteLimit: Int = 4 << 20
    ) {
        self.url = url
        self.credentials = credentials
        self.caFile = caFile
        self.timeLimit = timeLimit
        self.byteLimit = byteLimit
    }
}

/// What a server answered.
package struct TransferResponse: Sendable {
    /// The HTTP status, 100 to 599.
    package let status: Int
    package let body: [UInt8]
    /// With its parameters, as it was sent; `nil` for none.
    package let contentType: String?

    package init(status: Int, body: [UInt8], contentType: String? = nil) {
        self.status = status
        self.body = body
        self.contentType = contentType
    }
}

/// Why there is no answer.
package struct TransferError: Error, CustomStringConvertible {
    /// In libcurl's words; no URL and no password.
    package let description: String
    /// What is wrong with the addresses that a name leads to.
    private enum Address {
        case refused
        case missing
    }

    private let address: Address?

    /// Whether no address that its name leads to may be connected to.
    package var isRefusedAddress: Bool { address == .refused }
    /// Whether there is no address that may be connected to: the name leads to none at all, or to none that is permitted.
    package var isWithoutAddress: Bool { address != nil }

    package init(_ description: String) { self.init(description, nil) }

    private init(_ description: String, _ address: Address?) {
        self.description = description
        self.address = address
    }

    static let refusedAddress = Self("the address is not one that may be connected to", .refused)

    /// Of a name that leads to no address.
    ///
    /// - Parameter description: in libcurl's words.
    /// - Returns: the error.
    static func missingAddress(_ description: String) -> Self { Self(description, .missing) }
}
