import ArgumentParser
import WaybillAMQP
import WaybillHTTPAPI
import WaybillMessages
import WaybillMongo
import WaybillOperations
import WaybillSettings
import WaybillTLS

/// What the exit status says (`sysexits.h`); ArgumentParser itself ends wrong usage with 64.
enum ExitStatus: Int32 {
    /// What was given as input cannot be used.
    case badInput = 65
    /// An input file does not exist or cannot be read.
    case noInput = 66
    /// Nobody would get it, or got it.
    case nobody = 68
    /// A server cannot be reached.
    case unavailable = 69
    /// The program itself failed.
    case software = 70
    /// The same command may succeed later.
    case temporary = 75
    /// Somebody may not do what they tried.
    case permission = 77
    /// The configuration must change.
    case configuration = 78

    /// The status as the error that ends a command.
    ///
    /// Say what is wrong before it is thrown.
    var exit: ExitCode { ExitCode(rawValue) }
}

extension ExitStatus {
    init(_ error: AMQPError) {
        switch error.code {
        case .invalidURL, .notFound, .preconditionFailed: self = .configuration
        case .accessRefused: self = .permission
        case .resourceLocked, .consumerCancelled, .publicationFailed: self = .temporary
        case .protocolViolation: self = .software
        case .unreachable, .tls, .connectionClosed, .channelClosed, .timeout: self = .unavailable
        }
    }

    init(_ error: MongoError) {
        switch error.code {
        case .invalidURL, .indexConflict: self = .configuration
        case .accessRefused: self = .permission
        case .timeLimitExceeded, .poolExhausted, .notDurable: self = .temporary
        case .unreachable: self = .unavailable
        case .duplicateKey, .documentTooLarge, .commandFailed:
            self = error.isAboutTheQuery ? .software : .temporary
        }
    }

    init(_ error: TLSError) {
        switch error.code {
        case .badFile, .notAKey, .notP256, .notRSA: self = .configuration
        case .library: self = .software
        case .certificateRejected, .pinMismatch, .handshakeFailed, .closed: self = .unavailable
        }
    }

    init(_ error: TopologyError) {
        self = error.cause.map(ExitStatus.init) ?? .configuration
    }

    init(_ category: Finding.Category) {
        switch category {
        case .configuration: self = .configuration
        case .permission: self = .permission
        case .unavailable: self = .unavailable
        case .degraded: self = .temporary
        }
    }

    /// The status for any error that a module may throw.
    init(_ error: any Error) {
        self =
            switch error {
            case let failure as CommandFailure: failure.status
            case let error as AMQPError: ExitStatus(error)
            case let error as MongoError: ExitStatus(error)
            case let error as TLSError: ExitStatus(error)
            case let error as TopologyError: ExitStatus(error)
            case let problem as OwnerOnlyFile.Problem: ExitStatus(problem.category)
            case is RejectedQueue.HeldElsewhere: .temporary
            case let failure as ListenFailure: failure.isRefused ? .permission : .unavailable
            default: .software
            }
    }

    /// The status for what is wrong among findings: what only a person can fix comes first.
    static func worst(of findings: [Finding]) -> ExitStatus? {
        let categories = Set(findings.filter(\.isWrong).map(\.category))
        return [Finding.Category.configuration, .permission, .unavailable, .degraded]
            .first(where: categories.contains).map { ExitStatus($0) }
    }
}
