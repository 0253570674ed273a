/// The AMQP 0-9-1 methods that a broker may send unasked: class id in the upper half, method id in the lower.
enum Method: UInt32 {
    case connectionClose = 0x000A_0032
    case connectionCloseOK = 0x000A_0033
    case connectionBlocked = 0x000A_003C
    case connectionUnblocked = 0x000A_003D
    case channelFlow = 0x0014_0014
    case channelFlowOK = 0x0014_0015
    case channelClose = 0x0014_0028
    case channelCloseOK = 0x0014_0029
    case basicCancel = 0x003C_001E
    case basicCancelOK = 0x003C_001F
    case basicReturn = 0x003C_0032
    case basicDeliver = 0x003C_003C
    case basicGetOK = 0x003C_0047
    case basicAck = 0x003C_0050
    case basicNack = 0x003C_0078
}

/// The frame types of AMQP 0-9-1.
enum FrameType: UInt8 {
    case method = 1
    case header = 2
    case body = 3
}
