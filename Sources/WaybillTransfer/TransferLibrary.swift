import CWaybillCurl

/// The library below this module.
package enum TransferLibrary {
    /// The version that is loaded, as libcurl says itself, such as `7.88.1`; any thread.
    package static var version: String {
        guard let info = curl_version_info(CURLVERSION_FIRST), let version = info.pointee.version else { return "" }
        return String(cString: version)
    }
}
