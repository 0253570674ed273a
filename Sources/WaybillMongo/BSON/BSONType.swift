/// The types of BSON values: those that Waybill writes, and others that somebody may have written.
enum BSONType: UInt8 {
    case double = 0x01
    case string = 0x02
    case document = 0x03
    case array = 0x04
    case binary = 0x05
    case objectID = 0x07
    case bool = 0x08
    case date = 0x09
    case null = 0x0a
    case int32 = 0x10
    case timestamp = 0x11
    case int64 = 0x12
    case undefined = 0x06
    case regularExpression = 0x0b
    case pointer = 0x0c
    case code = 0x0d
    case symbol = 0x0e
    case scopedCode = 0x0f
    case decimal = 0x13
    case maximumKey = 0x7f
    case minimumKey = 0xff

    /// The subtype of a binary value that is a UUID.
    static let uuid: UInt8 = 4
}
