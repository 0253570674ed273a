import Testing
import WaybillMongo

@testable import WaybillDeviceRegistry

/// The steps of one registration, of which the next is made at each call.
final class PhoneSteps: SharedPhoneSteps {
    private var phone: PhoneLogIn
    private var number = 0
    private var claim: PhoneLogIn.Claim?
    private var former: DeviceRow?
    private var linked: PhoneLogIn.Linked?
    private(set) var answer: Bool?

    static let count = 5

    /// Whether others come also between retiring the phone's other tokens and looking who is there.
    private let splits: Bool
    private var hold: PhoneLogIn.Hold?

    var count: Int { splits ? Self.count + 1 : Self.count }

    init(
        _ user: String,
        _ entry: DeviceEntry,
        _ client: MongoClient,
        _ database: String,
        now: Int64 = DeviceRegistrarTests.now,
        splits: Bool = false
    ) throws {
        self.splits = splits
        let users = UserDevices(client: client, database: database)
        phone = try #require(PhoneLogIn(user: user, entry: entry, login: nil, users: users, now: now))
    }

    func next() throws {
        defer { number += 1 }
        guard answer == nil else { return }
        if splits, number == 2 {
            if claim == .free { hold = try phone.retire(former) }
            if case .decided(false) = hold { answer = false }
            return
        }
        switch splits && number > 2 ? number - 1 : number {
        case 0:
            claim = try phone.claim()
            if claim == .taken { answer = false }
        case 1: former = try phone.register()
        case 2: if try !holds() { answer = false }
        case 3:
            linked = try phone.link()
            if linked?.isNews == false { answer = true }
        default:
            answer = try phone.stands(#require(linked))
            if answer == true { try phone.leaveOtherIDs() }
        }
    }

    private func holds() throws -> Bool {
        guard claim == .free else { return true }
        switch hold {
        case .decided(let holds): return holds
        case .retired(let retirement): if let holds = try phone.settle(retirement, former) { return holds }
        case nil: break
        }
        return try phone.holds(former)
    }

    /// All ways to put the steps of two into one order: true where it is the first one's turn.
    static func orders(of first: Int, beside second: Int) -> [[Bool]] {
        (0..<(1 << (first + second)))
            .filter { $0.nonzeroBitCount == first }
            .map { bits in (0..<first + second).map { bits & 1 << $0 != 0 } }
    }
}

/// What somebody does to a phone, step by step.
protocol SharedPhoneSteps: AnyObject {
    var count: Int { get }
    /// False where it was refused; `nil` until that is known.
    var answer: Bool? { get }
    func next() throws
}

/// The steps of one log-in by a token alone.
final class TokenSteps: SharedPhoneSteps {
    private var phone: TokenLogIn
    private var number = 0
    private var device = ""
    private(set) var answer: Bool?

    let count = 3

    init(_ user: String, _ address: DeviceAddress, _ users: UserDevices, now: Int64) {
        phone = TokenLogIn(user: user, address: address, login: nil, client: nil, users: users, now: now)
    }

    func next() throws {
        defer { number += 1 }
        guard answer == nil else { return }
        switch number {
        case 0: device = try phone.register()
        case 1: if try !phone.link(device) { answer = true }
        default:
            while try !phone.stands() {
                device = try phone.register()
                _ = try phone.link(device)
            }
            try phone.leaveOtherIDs(than: device)
            answer = true
        }
    }
}

/// What is done in one step.
final class OneStep: SharedPhoneSteps {
    private let body: () throws -> Void
    private(set) var answer: Bool?

    let count = 1

    init(_ body: @escaping () throws -> Void) { self.body = body }

    func next() throws {
        try body()
        answer = true
    }
}
