import ArgumentParser
import WaybillAMQP
import WaybillEncoding
import WaybillFleet
import WaybillMongo
import WaybillOperations
import WaybillSettings

/// An error that a command has words and a status for.
struct CommandFailure: Error {
    let status: ExitStatus
    let text: String

    init(_ status: ExitStatus, _ text: String) {
        self.status = status
        self.text = text
    }
}

/// Runs the work of a command: whatever it throws becomes one line on standard error and an exit status.
///
/// - Parameters:
///   - command: the command's name, which begins the line.
///   - work: what to do.
/// - Throws: `ExitCode`, or what the argument parser reports itself.
func reportingFailures(of command: String, _ work: () throws -> Void) throws {
    do {
        try work()
    } catch {
        throw report(error, of: command)
    }
}

/// The same for a command that waits.
func reportingFailures(of command: String, _ work: () async throws -> Void) async throws {
    do {
        try await work()
    } catch {
        throw report(error, of: command)
    }
}

private func report(_ error: any Error, of command: String) -> any Error {
    switch error {
    case is ExitCode, is ValidationError, is CleanExit:
        return error
    case let failure as OutputFailure:
        // Said when the process ends.
        return failure.isClosedPipe ? ExitCode.success : ExitStatus.unavailable.exit
    case let failure as CommandFailure:
        Terminal.say("waybill \(command): \(HiddenCharacters.shown(failure.text, followsLines: true))")
        return failure.status.exit
    case let problem as OwnerOnlyFile.Problem:
        Terminal.say("waybill \(command): \(problem.reason)")
        return ExitStatus(problem.category).exit
    default:
        // What a server says may hold what others have stored.
        let isServers = error is MongoError || error is AMQPError
        let text = explanation(of: error)
        let shown = isServers ? Cell.printable(text) : HiddenCharacters.shown(text, followsLines: true)
        Terminal.say("waybill \(command): \(shown)")
        return ExitStatus(error).exit
    }
}

/// An error of another module in words, with the command that helps where there is one.
func explanation(of error: any Error) -> String {
    if let failure = error as? CommandFailure { return failure.text }
    if let error = error as? MongoError, let silence = error.silence {
        let place = StoreSettings.askedHosts.map { " at \($0)" } ?? ""
        return "the store\(place) does not answer: \(silence). \(StateAdvice.store)"
    }
    // What is not there is a queue or the exchange; both are after `waybill init`.
    guard let error = error as? AMQPError, error.code == .notFound || MissingOnBroker(in: "\(error)") != nil else {
        return "\(error)"
    }
    return "\(error)".contains("waybill init") ? "\(error)" : "\(error); run waybill init"
}
