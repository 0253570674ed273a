import WaybillAPNS

/// The code of "Networks and proxies".
enum NetworkSamples {
    static func port(_ configuration: inout APNSConfiguration) {
        configuration.endpoint.port = 2197
    }

    static func proxy(_ configuration: inout APNSConfiguration, password: String) {
        configuration.proxy = APNSProxy(host: "proxy.example.com", port: 3128, user: "waybill", password: password)
    }

    static func source(_ configuration: inout APNSConfiguration) {
        configuration.sourceAddress = "192.0.2.10"
    }

    static func trust(_ configuration: inout APNSConfiguration) {
        configuration.trust = .file("/etc/ssl/apns-authorities.pem")
        configuration.pins = [APNSPin(base64: "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")]
        configuration.tlsVersions = .tls13...(.tls13)
    }

    static func deadlines(_ configuration: inout APNSConfiguration) {
        configuration.deadlines.request = .seconds(10)
        configuration.deadlines.unreachable = .seconds(30)
        configuration.connections = 4
        configuration.reconnect.longest = .seconds(10)
    }
}
