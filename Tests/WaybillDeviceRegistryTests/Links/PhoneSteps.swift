import Testing
import WaybillMongo

@testable import WaybillDeviceRegistry

/// The steps of one registration, of which the next is made at each call.
final class PhoneSteps: SharedPhoneSteps {
    /// Between which of its questions and writes others come.
    enum Grain {
        case coarse
        /// Also between retiring the phone's other tokens and looking who is there.
        case middle
        /// Also between ending the own token and looking who is there.
        case fine
    }

    private enum Step {
        case claim, register, retire, settle, withdraw, reconsider, link, stand
    }

    private var phone: PhoneLogIn
    private let anew: () throws -> PhoneLogIn
    private let grain: Grain
    private var step = Step.claim
    private var claim: PhoneLogIn.Claim?
    private var former: DeviceRow?
    private var hold: PhoneLogIn.Hold?
    private var ended: DeviceRow?
    private var linked: PhoneLogIn.Linked?
    private(set) var answer: Bool?

    static let count = 5

    var count: Int { grain == .coarse ? Self.count : Self.count + 1 }

    init(
        _ user: String,
        _ entry: DeviceEntry,
        _ client: MongoClient,
        _ database: String,
        now: Int64 = DeviceRegistrarTests.now,
        grain: Grain = .coarse
    ) throws {
        self.grain = grain
        let users = UserDevices(client: client, database: database)
        anew = { try #require(PhoneLogIn(user: user, entry: entry, login: nil, users: users, now: now)) }
        phone = try anew()
    }

    func next() throws {
        guard answer == nil else { return }
        switch step {
        case .claim:
            claim = try phone.claim()
            step = .register
            if claim == .taken { answer = false }
        case .register:
            former = try phone.register()
            step = .retire
        case .retire: try retire()
        case .settle: try settle()
        case .withdraw: try withdraw()
        case .reconsider:
            if let ended { try phone.reconsider(ended, former) }
            answer = false
        case .link:
            let linked = try phone.link()
            self.linked = linked
            step = .stand
            if !linked.isNews { answer = true }
        case .stand:
            switch try phone.stands(#require(linked), former) {
            case .stands:
                try phone.leaveOtherIDs()
                answer = true
            case .givesWay: answer = false
            case .again:
                phone = try anew()
                step = .claim
            }
        }
    }

    private func retire() throws {
        guard claim == .free else {
            step = grain == .middle ? .settle : .link
            return
        }
        if grain == .coarse {
            step = .link
            if try !phone.holds(former) { answer = false }
            return
        }
        let hold = try phone.retire()
        self.hold = hold
        switch hold {
        case .holds: step = grain == .middle ? .settle : .link
        case .retired: step = .settle
        case .givesWay: try giveWay()
        }
    }

    private func settle() throws {
        guard case .retired(let retirement) = hold else {
            step = .link
            return
        }
        switch try phone.settle(retirement) {
        case .holds: step = .link
        case .givesWay: try giveWay()
        case .retired:
            step = .link
            if try !phone.holds(former) { answer = false }
        }
    }

    private func giveWay() throws {
        guard grain == .fine else {
            try phone.giveWay(former)
            answer = false
            return
        }
        step = .withdraw
    }

    private func withdraw() throws {
        switch try phone.withdraw(former) {
        case .kept: answer = false
        case .changed: break
        case .ended(let row):
            ended = row
            step = .reconsider
        }
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

/// The steps of the end of an account.
final class DepartureSteps: SharedPhoneSteps {
    private enum Step {
        case look
        case end([PhoneDeparture])
    }

    private let user: String
    private let users: UserDevices
    private let now: Int64
    private var step = Step.look
    private(set) var answer: Bool?

    let count = 5

    init(_ user: String, _ users: UserDevices, now: Int64) {
        self.user = user
        self.users = users
        self.now = now
    }

    func next() throws {
        guard answer == nil else { return }
        switch step {
        case .look:
            let rows = try users.links.rows(of: users.links.enabled(of: user)).joined()
            step = .end(rows.map { PhoneDeparture($0, of: user, users: users, now: now) })
        case .end(var phones):
            guard !phones.isEmpty else {
                try users.depart(user: user, now: now)
                answer = true
                return
            }
            if try phones[0].next() { phones.removeFirst() }
            step = .end(phones)
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
