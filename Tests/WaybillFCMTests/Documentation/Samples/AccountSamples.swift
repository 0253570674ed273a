import WaybillFCM

/// The code of "Accounts and networks".
enum AccountSamples {
    static func file() throws -> FCMServiceAccount {
        let account = try FCMServiceAccount(file: "/etc/parcels/service-account.json")
        return account
    }

    static func bytes(secret: [UInt8]) throws -> FCMServiceAccount {
        let account = try FCMServiceAccount(json: secret)
        return account
    }

    static func replace(_ client: FCMClient, file: String) throws {
        try client.replaceCredentials(FCMAccessTokenSource(FCMServiceAccount(file: file)))
    }

    static func proxy(_ account: FCMServiceAccount, password: String) throws -> FCMConfiguration {
        let proxy = FCMProxy(host: "proxy.example.com", port: 3128, user: "waybill", password: password)
        let source = try FCMAccessTokenSource(account, proxy: proxy)
        var configuration = FCMConfiguration(source)
        configuration.proxy = proxy
        return configuration
    }
}
