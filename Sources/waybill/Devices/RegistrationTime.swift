import ArgumentParser
import WaybillDeviceRegistry
import WaybillThreads

/// Reads when an app registered, as the options of commands say it.
enum RegistrationTime {
    /// - Parameter text: as ``LogFilters/time(_:)`` reads it.
    /// - Returns: milliseconds since 1970.
    /// - Throws: `ValidationError` for what is no time, and for one that is yet to come by more than clocks differ.
    static func parse(_ text: String) throws -> Int64 {
        let time = try LogFilters.time(text)
        guard time - WallClock.milliseconds() <= DeviceLimits.clockSkew else {
            throw ValidationError("this time is yet to come")
        }
        return time
    }
}
