import Testing

@testable import WaybillSettings

/// A change to the minimal configuration, and the findings it must lead to.
struct FindingCase: CustomTestStringConvertible {
    let old: String
    let new: String
    let findings: [String]
    var testDescription: String { new.isEmpty ? "without \(old)" : new }

    init(_ old: String, _ new: String, _ findings: String...) {
        self.old = old
        self.new = new
        self.findings = findings
    }

    /// A change that adds lines at the end, where the lane stands.
    init(append new: String, _ findings: String...) {
        old = "key_file: key.p8\n"
        self.new = old + new
        self.findings = findings
    }
}

@Suite("Findings")
struct FindingTests {
    static let structure: [FindingCase] = [
        FindingCase(
            "  url: amqp://localhost/",
            "  ulr: amqp://localhost/",
            "error broker.url (line 1): is missing; say where RabbitMQ is, such as amqp://waybill@localhost:5672/",
            "error broker.ulr (line 2): unknown key; did you mean url?"
        ),
        FindingCase(
            "  default: 30d",
            "  default: 30d\n  zzz: 1",
            "error retention.zzz (line 7): unknown key; known here: clients, default, unknown"
        ),
        FindingCase(
            "broker:\n",
            "brokre:\n",
            "error broker.url: is missing; say where RabbitMQ is, such as amqp://waybill@localhost:5672/",
            "error brokre (line 1): unknown key; did you mean broker?"
        ),
        FindingCase(
            "broker:\n  url: amqp://localhost/",
            "broker: amqp://localhost/",
            "error broker (line 1): must be a section with keys, not a value",
            "error broker.url (line 1): is missing; say where RabbitMQ is, such as amqp://waybill@localhost:5672/"
        ),
        FindingCase(
            "  url: mongodb://localhost/",
            "  url:",
            "error store.url (line 4): has no value; give one, or remove the key"
        ),
        FindingCase(
            "  url: mongodb://localhost/",
            "  url: [a]",
            "error store.url (line 4): must be a single value, not a list"
        ),
        FindingCase(
            "  - name: parcels\n    ",
            "    ",
            "error lanes (line 7): must be a list of sections, each beginning with a dash, not a section"
        ),
        FindingCase(
            "    team_id",
            "    team_id: x\n    team_id",
            "error configuration (line 10): the file names a key twice in one section: team_id"
        ),
        FindingCase(
            "broker:\n",
            "broker: [\n",
            "error configuration (line 3): the file is not YAML: did not find expected ',' or ']'"
        ),
    ]

    static let values: [FindingCase] = [
        FindingCase(
            "amqp://localhost/",
            "https://localhost/",
            "error broker.url (line 2): must begin with amqp:// or amqps://"
        ),
        FindingCase("amqp://localhost/", "amqp://", "error broker.url (line 2): has no host"),
        FindingCase(
            "amqp://localhost/",
            "amqp://u:hunter2%@localhost/",
            "error broker.url (line 2): has a password that is not percent-encoded correctly"
        ),
        FindingCase(
            "mongodb://localhost/",
            "mongodb://localhost/\n  password: hunter2",
            "error store.password (line 5): needs a user in store.url, such as mongodb://waybill@localhost/"
        ),
        FindingCase(
            "amqp://localhost/",
            "amqp://localhost/\n  ca_file: ca.pem",
            "error broker.ca_file (line 3): needs TLS; write amqps:// in broker.url"
        ),
        FindingCase(
            "amqp://localhost/",
            "amqp://localhost/\n  max_in_flight: many",
            "error broker.max_in_flight (line 3): must be a whole number, such as 20000"
        ),
        FindingCase(
            "amqp://localhost/",
            "amqp://localhost/\n  max_in_flight: 0",
            "error broker.max_in_flight (line 3): is 0, allowed: 1 to 1000000"
        ),
        FindingCase(
            "amqp://localhost/",
            "amqp://localhost/\n  dispatch_queues: 65",
            "error broker.dispatch_queues (line 3): is 65, allowed: 0 to 64"
        ),
        FindingCase(
            "amqp://localhost/",
            "amqp://localhost/\n  dispatch_queues: some",
            "error broker.dispatch_queues (line 3): must be a whole number, such as 0"
        ),
        FindingCase(
            "amqp://localhost/",
            "amqp://localhost/\n  queue_prefix: a/b",
            "error broker.queue_prefix (line 3): may hold letters, digits, dots, dashes and underscores, at most 100"
        ),
        FindingCase(
            "mongodb://localhost/",
            "mongodb://localhost/?tls=true&TLSAllowInvalid%43ertificates=true",
            "error store.url (line 4): holds tlsallowinvalidcertificates, which turns the check of the server's certificate off; "
                + "name its authority by ca_file"
        ),
        FindingCase(
            "mongodb://localhost/",
            "mongodb://localhost/\n  body: ful",
            "error store.body (line 5): must be one of full, digest, none; did you mean full?"
        ),
        FindingCase(
            "mongodb://localhost/",
            "mongodb://localhost/\n  token_key_file: k",
            "error store.token_key_file (line 5): has no effect while store.tokens is plain; write tokens: digest"
        ),
        FindingCase(
            "default: 30d",
            "clients: {acme: 90d}",
            "error retention.default (line 5): is missing; write 30d, or keep (forever). There is no built-in default: how "
                + "long records are kept is part of the contract with each client, and nothing may delete them without "
                + "permission"
        ),
        FindingCase(
            "default: 30d",
            "default: 30d\n  clients: {acme: 9y}",
            "error retention.clients.acme (line 7): must be whole days, such as 30d, at most 36500d, or the word keep, "
                + "or the word default"
        ),
        FindingCase(
            append: "retry: {steps: [30s, 5s]}\n",
            "error retry.steps[1] (line 13): must be longer than the step before it"
        ),
        FindingCase(
            append: "retry: {steps: []}\n",
            "error retry.steps (line 13): is empty; give at least one step, or remove the key"
        ),
        FindingCase(
            append: "dispatch: {grace: 25}\n",
            "error dispatch.grace (line 13): must be a duration: a whole number and one of ms, s, m, h, d, w, such as 10m"
        ),
        FindingCase(
            append: "dispatch: {request_timeout: 1h}\n",
            "error dispatch.request_timeout (line 13): is 1h, allowed: 1s to 5m"
        ),
        FindingCase(
            append: "fanout: {backlog: 0}\n",
            "error fanout.backlog (line 13): is 0, allowed: 1 to 10000"
        ),
        FindingCase(
            append: "fanout: {keep: 1h}\n",
            "error fanout.keep (line 13): is 1h, allowed: 1d to 3650d"
        ),
        FindingCase(
            append: "admin: {listen: localhost}\n",
            "error admin.listen (line 13): must be an address and a port, such as 127.0.0.1:9464"
        ),
        FindingCase(
            append: "admin: {listen: {dispatch: localhost, prune: 127.0.0.1:9465}}\n",
            "error admin.listen.dispatch (line 13): must be an address and a port, such as 127.0.0.1:9464"
        ),
        FindingCase(
            append: "admin: {hosts: [push-1.example.com, 'push-1:9464']}\n",
            "error admin.hosts[1] (line 13): must be a host name without a port, such as push-1.example.com"
        ),
        FindingCase(
            append: "admin: {listen: {dispatcher: 127.0.0.1:9464}}\n",
            "error admin.listen.dispatcher (line 13): unknown key; did you mean dispatch?"
        ),
        FindingCase(append: "limits: {depth: 64}\n", "error limits.depth (line 13): is 64, allowed: 3 to 63"),
    ]

    static let lanes: [FindingCase] = [
        FindingCase(
            "    bundle_id: com.example.parcels\n",
            "",
            "error lanes[0].bundle_id (line 8): is missing; it is the app's bundle id and the topic of its notifications, such "
                + "as com.example.parcels"
        ),
        FindingCase(
            "ABCDE12345",
            "ABCDE-1234",
            "error lanes[0].team_id (line 10): must be ten letters and digits: the team's id from the Apple developer account"
        ),
        FindingCase(
            "    key_file: key.p8\n",
            "",
            "error lanes[0].key_file (line 8): is missing; it is the .p8 file from the Apple developer account"
        ),
        FindingCase(
            append: "    certificate_file: a\n    private_key_file: b\n",
            "error lanes[0].key_file (line 12): contradicts certificate_file: a lane uses a key or a certificate"
        ),
        FindingCase(
            "    key_file: key.p8\n",
            "    certificate_file: a\n",
            "error lanes[0].private_key_file (line 8): is missing; certificate_file needs it"
        ),
        FindingCase(
            append: "    endpoint: http://localhost:8443\n",
            "error lanes[0].endpoint (line 13): must begin with https://; an endpoint looks like https://localhost:8443"
        ),
        FindingCase(
            append: "    endpoint: https://localhost:8443/3/device\n",
            "error lanes[0].endpoint (line 13): must be https://host:port without a user or a path; an endpoint looks like "
                + "https://localhost:8443"
        ),
        FindingCase(
            append: "    endpoint: https://localhost:99999\n",
            "error lanes[0].endpoint (line 13): must be https://host:port with a port from 1 to 65535; an endpoint looks like "
                + "https://localhost:8443"
        ),
        FindingCase(
            append: "    enviroment: sandbox\n",
            "error lanes[0].enviroment (line 13): unknown key; did you mean environment?"
        ),
        FindingCase(
            append: "    trust_file: ca.pem\n",
            "warn lanes[0].trust_file (line 13): replaces the system's authorities for Apple's own servers; it is meant for a "
                + "simulator or a relay"
        ),
        FindingCase(
            append: """
                  - name: parcels
                    bundle_id: com.example.other
                    team_id: ABCDE12345
                    key_id: ABC123DEFG
                    key_file: key.p8

                """,
            "error lanes[1].name (line 13): parcels is the name of lanes[0] too; names must be unique"
        ),
    ]

    @Test("each mistake is named with its place and what to do", arguments: structure + values + lanes)
    func findings(_ example: FindingCase) throws {
        let text = try ConfigurationText.minimal(replacing: example.old, with: example.new)
        let loaded = try ConfigurationText.load(text)
        #expect(loaded.findings.map(\.description) == example.findings)
        #expect((loaded.configuration == nil) == loaded.findings.hasErrors)
    }

    @Test("all mistakes are reported at once, in the order of the file")
    func allAtOnce() throws {
        let loaded = try ConfigurationText.load("lanes: []\nstore:\n  url: x\nbroker:\n  url: y\n")
        #expect(loaded.findings.map(\.path) == ["retention.default", "lanes", "store.url", "broker.url"])
    }

    @Test("an empty file says what is missing")
    func empty() throws {
        let loaded = try ConfigurationText.load("# nothing\n")
        #expect(loaded.findings.map(\.path) == ["broker.url", "lanes", "retention.default", "store.url"])
    }
}
