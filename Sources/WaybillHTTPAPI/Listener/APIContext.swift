import Hummingbird
import NIOCore
import WaybillEncoding
import WaybillThreads

/// One request on its way.
struct APIContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel
    /// 16 hexadecimal digits.
    let requestID: String
    private(set) var began: MonotonicTime
    /// Where it came from, as far as that is known.
    var address: String?
    /// How long its body may take.
    var bodyTime = ClientPatience().body
    /// Where what is refused is counted.
    var refusals = RefusalTally()
    /// Whose it is, once that is known: for the log.
    let caller = CallerNote()

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        requestID = Self.newRequestID()
        began = .now()
        address = channel.remoteAddress?.ipAddress
    }

    static func newRequestID() -> String {
        let number = UInt64.random(in: 0 ... .max)
        return withUnsafeBytes(of: number.bigEndian) { Hexadecimal.text(of: $0) }
    }

    /// Whom strangers are counted with: those of one IPv4 address, or of the /64 that an IPv6 address is in, of which one
    /// client has all the rest to choose from; those of no known address together.
    var neighbourhood: String { address.map(AddressNeighbourhood.name) ?? "" }

    /// What stands in the path in the place of the pattern's one name.
    func named() throws(Problem) -> String {
        try Self.read(parameters.first.flatMap { PercentEncoding.decode(String($0.value)) })
    }

    /// What stands in the path in the place of a name of the pattern.
    func named(_ name: String) throws(Problem) -> String {
        try Self.read(parameters.get(name).flatMap { PercentEncoding.decode($0) })
    }

    private static func read(_ value: String?) throws(Problem) -> String {
        guard let value, !value.isEmpty else { throw Problem(.badRequest, "the path cannot be read") }
        guard !value.contains("\0") else { throw Problem(.badRequest, "the path must not hold U+0000 (%00)") }
        return value
    }

    /// The same request with its time before it: for what asks long after its answer has begun.
    func begunAgain() -> APIContext {
        var context = self
        context.began = .now()
        return context
    }

    /// When everything that it needs of the store must have been answered.
    var deadline: MonotonicTime { began.advanced(by: APILimits.handlingTime) }
}

/// The key of a request, noted while it is answered, and whether it has proven otherwise that it belongs here.
final class CallerNote: Sendable {
    private let id = Guarded<String?>(nil)
    private let isVouchedFor = SharedFlag()

    /// Whether nothing that was shown is good.
    var isStranger: Bool { key == nil && !isVouchedFor.isSet }

    func vouch() { isVouchedFor.set() }

    var key: String? { id.withLock { $0 } }

    func note(_ key: String) { id.withLock { $0 = key } }
}
