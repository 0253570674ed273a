import WaybillDeliveryLog
import WaybillEncoding
import WaybillTLS

/// Writes places in a tail as the ids of events, and reads them back.
///
/// Everybody's records are numbered together, and whoever sees the numbers could count those that are none of theirs: so an id is
/// sealed, and looks different each time. Only the installation's own processes make one, and it holds for the clients of the key that
/// it was sent to.
struct TailIDs: Sendable {
    private let seal: Seal
    private let scope: UInt64

    /// - Parameters:
    ///   - seal: the installation's own, for tails.
    ///   - scope: whose records the viewer sees.
    init(seal: Seal, scope: DeliveryScope) {
        self.seal = seal
        self.scope = scope.fingerprint
    }

    /// URL-safe, without spaces.
    func text(of mark: TailMark) -> String {
        let numbers = [UInt64.random(in: 0 ... .max), scope, mark.stream, mark.position]
        let bytes = numbers.flatMap { number in withUnsafeBytes(of: number.bigEndian) { Array($0) } }
        return Base64URL.encode(seal.close(bytes))
    }

    /// The place; `nil` for a text that was not made for these clients.
    func mark(_ text: String) -> TailMark? {
        guard let bytes = Base64URL.decode(text).flatMap(seal.open), bytes.count == 32 else { return nil }
        let numbers = stride(from: 0, to: 32, by: 8).map { start in
            bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
        }
        return numbers[1] == scope ? TailMark(stream: numbers[2], position: numbers[3]) : nil
    }
}
