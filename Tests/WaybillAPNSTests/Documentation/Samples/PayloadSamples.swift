import WaybillAPNS

/// The code of "Write payloads".
enum PayloadSamples {
    static func alert(deviceToken: String) throws -> APNSNotification {
        var notification = try APNSNotification(
            to: deviceToken,
            .alert(
                title: "Parcel 7",
                subtitle: "Out for delivery",
                body: "It comes between two and four",
                badge: 1,
                sound: .default,
                threadID: "parcel-7",
                category: "PARCEL",
                interruptionLevel: .timeSensitive
            )
        )
        notification.collapseID = "parcel-7"
        notification.expiration = .after(.seconds(3600))
        return notification
    }

    static func localized(deviceToken: String) throws -> APNSNotification {
        let alert = APNSAlert(
            localizedTitle: "PARCEL_TITLE",
            localizedBody: APNSLocalizedText("PARCEL_BODY", arguments: ["7", "14:00"])
        )
        let notification = try APNSNotification(
            to: deviceToken,
            .alert(alert, sound: .critical(name: "bell.caf", volume: 0.8))
        )
        return notification
    }

    struct Parcel: Encodable {
        var parcel: Int
        var depot: String?
    }

    static func custom(deviceToken: String) throws -> APNSNotification {
        // {"aps":{"alert":"It is here"},"depot":"West","parcel":7}
        let notification = try APNSNotification(
            to: deviceToken,
            .alert("It is here"),
            custom: Parcel(parcel: 7, depot: "West")
        )
        return notification
    }

    static func others(deviceToken: String, callee: String) throws -> [APNSNotification] {
        let refresh = try APNSNotification(to: deviceToken, .background, custom: ["changed": ["parcels"]])
        let call = try APNSNotification(to: callee, .voip, custom: ["caller": "Ada"])
        let widgets = try APNSNotification(to: deviceToken, .widgets)
        return [refresh, call, widgets]
    }

    /// A type of the app's own: the same payload wherever it is sent from.
    struct ParcelArrived: APNSContent {
        static let pushType = APNSPushType.alert
        var parcel: Int

        func payload(custom: APNSJSON?) throws(APNSError) -> APNSPayload {
            try APNSPayload(.alert(title: "Parcel \(parcel)", body: "It is at your door"), custom: custom)
        }
    }

    static func own(deviceToken: String) throws -> APNSNotification {
        let notification = try APNSNotification(to: deviceToken, ParcelArrived(parcel: 7))
        return notification
    }

    static func refused(deviceToken: String, configuration: APNSConfiguration) throws -> APNSNotification {
        var notification = try APNSNotification(to: deviceToken, .background)
        notification.priority = .immediate
        do {
            try notification.validate(for: configuration)
        } catch {
            // error.code is .invalidNotification, error.field is "priority"
            print(error)
        }
        return notification
    }
}
