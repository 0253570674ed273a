import Foundation
import Testing
import WaybillCore

/// Locales, time zones and app versions as phones write them.
@Suite struct PlaceNameTests {
    @Test(arguments: [
        ("de", "de"), ("de_AT", "de-AT"), ("de-at", "de-AT"), ("PT-br", "pt-BR"), ("pt_BR", "pt-BR"),
        ("zh_Hans_CN", "zh-Hans-CN"), ("zh-hans-cn", "zh-Hans-CN"), ("zh_CN_#Hans", "zh-Hans-CN"),
        ("sr_RS_#Latn", "sr-Latn-RS"), ("iw", "he"), ("iw_IL", "he-IL"), ("in_ID", "id-ID"), ("ji", "yi"),
        ("en_US@rg=gbzzzz", "en-US"), ("de_DE.UTF-8", "de-DE"), ("de_DE.UTF-8@euro", "de-DE"), ("es_419", "es-419"),
        ("zh-yue-HK", "zh-yue-HK"), ("sl-rozaj-1994", "sl-rozaj-1994"), ("en_US_POSIX", "en-US-posix"),
        ("en-US-u-hc-h12", "en-US"), ("en-US-u-ca-gregory-fw-mon-hc-h23-mu-celsius", "en-US"), ("de-x-swiss", "de"),
        ("und", "und"), ("zh__#Hans", "zh-Hans"), ("de__POSIX", "de-posix"), ("ja_JP_JP_#u-ca-japanese", "ja-JP"),
        ("th_TH_TH_#u-nu-thai", "th-TH"),
    ])
    func aLocaleHasOneForm(_ text: String, _ canonical: String) {
        #expect(LocaleName.canonical(text) == canonical)
        #expect(LocaleName.canonical(canonical) == canonical)
    }

    @Test(arguments: [
        "", "d", "C", "POSIX", "german", "de-", "de--AT", "-de", "a b", "(\u{301}", "dé", "de-AT-AT", "de-abcdefghi",
        "x-private", "de*", "no_NO_NY", "@", "#", "_#Hans", "de-\(String(repeating: "variant-", count: 6))de",
    ])
    func whatIsNoLanguageTagHasNone(_ text: String) {
        #expect(LocaleName.canonical(text) == nil)
    }

    @Test func aCoveredLocaleIsLeftOut() {
        #expect(LocaleName.covering(["de-AT", "de", "DE_ch", "den", "pt_BR", "(\u{301}"]) == ["de", "den", "pt-BR"])
        #expect(LocaleName.covering(["d.n", "C"]) == [])
    }

    @Test(arguments: [
        ("Asia/Calcutta", "Asia/Kolkata"), ("Asia/Kolkata", "Asia/Kolkata"), ("US/Eastern", "America/New_York"),
        ("Europe/Kiev", "Europe/Kyiv"), ("Europe/Uzhgorod", "Europe/Kyiv"), ("Asia/Saigon", "Asia/Ho_Chi_Minh"),
        ("America/Buenos_Aires", "America/Argentina/Buenos_Aires"), ("UTC", "Etc/UTC"), ("Zulu", "Etc/UTC"),
        ("Iceland", "Atlantic/Reykjavik"), ("Europe/Oslo", "Europe/Oslo"), ("Europe/Bratislava", "Europe/Bratislava"),
        ("Mars/Phobos", "Mars/Phobos"), ("PST8PDT", "America/Los_Angeles"), ("CET", "Europe/Brussels"),
    ])
    func aTimeZoneHasOneName(_ alias: String, _ name: String) {
        #expect(TimeZoneName.canonical(alias) == name)
        let names = TimeZoneName.names(of: alias)
        #expect(names.first == name && names.contains(alias))
        #expect(TimeZoneName.canonical(all: [alias, name, alias]) == [name])
    }

    /// Wherever the machine knows both names, their clocks agree.
    @Test func anAliasShowsTheTimeOfItsZone() throws {
        for zone in ["Asia/Kolkata", "America/New_York", "Europe/Kyiv", "Australia/Sydney", "Etc/UTC"] {
            let known = try #require(TimeZone(identifier: zone))
            for alias in TimeZoneName.names(of: zone) {
                guard let other = TimeZone(identifier: alias) else { continue }
                for seconds in [1_700_000_000.0, 1_720_000_000] {
                    let date = Date(timeIntervalSince1970: seconds)
                    #expect(known.secondsFromGMT(for: date) == other.secondsFromGMT(for: date), "\(alias)")
                }
            }
        }
    }

    private static let versions: [(text: String, numbers: [Int]?)] = [
        ("2.10", [2, 10]), ("2.10 (345)", [2, 10]), ("v2.10", [2, 10]), ("V 2.10", [2, 10]), ("2.10-rc.1", [2, 10]),
        ("2.10rc1", [2, 10]), ("2", [2]), ("2.", [2]), ("2..3", [2]), ("2.x.3", [2]), ("007.1", [7, 1]),
        ("2.20240101123045", [2, 20_240_101_123_045]), ("1.\(String(repeating: "9", count: 30))", [1, .max]),
        ("1.2.3.4.5.6.7.8.9", [1, 2, 3, 4, 5, 6, 7, 8, 9]), ("beta", nil), ("", nil), (".1", nil), ("-1", nil),
        ("version 2", nil), ("vvv", nil), ("٣.١", nil),
    ]

    @Test func aVersionIsItsLeadingNumbers() {
        for (text, numbers) in Self.versions { #expect(AppVersion.numbers(text) == numbers, "\(text)") }
    }
}
