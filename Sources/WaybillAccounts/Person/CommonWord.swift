/// Words and names that many people's passwords are made of.
enum CommonWord {
    /// Characters around a word that make it no other one: a year, a number, a sign.
    private static let mostAround = 5

    /// Whether a text is a word, or two, with signs for letters or without, and with a few digits and signs around it.
    ///
    /// - Parameter text: in small letters.
    /// - Returns: whether it is.
    static func makes(_ text: [UInt8]) -> Bool {
        let start = text.firstIndex(where: isLetter) ?? text.endIndex
        let end = text.lastIndex(where: isLetter).map { $0 + 1 } ?? text.startIndex
        // `p@ssw0rd` begins and ends with letters, `$unshine` and `pa55` do not.
        for first in Set([0, start]) {
            for last in Set([text.count, end]) where first < last {
                guard text.count - (last - first) <= mostAround else { continue }
                if readings(text[first..<last]).contains(where: isKnown) { return true }
            }
        }
        return false
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }

    /// What a word may say whose letters are written as signs; `1` is one of two.
    private static func readings(_ word: ArraySlice<UInt8>) -> [String] {
        var readings = [String(decoding: word, as: UTF8.self)]
        for one in "il".utf8 {
            readings.append(String(decoding: word.map { letter($0, one: one) }, as: UTF8.self))
        }
        return readings
    }

    private static func letter(_ sign: UInt8, one: UInt8) -> UInt8 {
        switch sign {
        case UInt8(ascii: "@"), UInt8(ascii: "4"): UInt8(ascii: "a")
        case UInt8(ascii: "0"): UInt8(ascii: "o")
        case UInt8(ascii: "1"), UInt8(ascii: "!"), UInt8(ascii: "|"): one
        case UInt8(ascii: "3"): UInt8(ascii: "e")
        case UInt8(ascii: "5"), UInt8(ascii: "$"): UInt8(ascii: "s")
        case UInt8(ascii: "7"): UInt8(ascii: "t")
        default: sign
        }
    }

    /// One word, or two that stand together.
    private static func isKnown(_ text: String) -> Bool {
        if words.contains(text) { return true }
        return text.indices.dropFirst().contains {
            words.contains(String(text[..<$0])) && words.contains(String(text[$0...]))
        }
    }

    private static let words: Set<String> = [
        // Where one logs in.
        "access", "account", "admin", "administrator", "changeme", "computer", "default", "demo", "enter", "facebook",
        "google", "guest", "hallo", "hello", "internet", "iphone", "letmein", "linux", "login", "master", "microsoft",
        "mobile", "mypass", "nothing", "office", "online", "pass", "passwd", "password", "passwort", "phone", "private",
        "public", "push", "qwerty", "qwertz", "azerty", "root", "samsung", "secret", "secure", "server", "service",
        "superuser",
        "system", "temp", "test", "testing", "user", "username", "waybill", "welcome", "whatever", "windows",
        "notification",
        // What one loves.
        "angel", "angels", "apple", "babe", "baby", "babygirl", "banana", "beautiful", "best", "blessed", "boy",
        "cheese",
        "chocolate", "coffee", "cookie", "cool", "crazy", "darling", "dear", "family", "flower", "flowers", "forever",
        "freedom", "friend", "friends", "girl", "god", "gold", "happy", "heart", "heaven", "home", "honey", "hope", "i",
        "iloveyou",
        "jesus", "jesuschrist", "kiss", "life", "love", "lovely", "loveme", "lover", "lucky", "me", "money", "mother",
        "music", "my",
        "orange", "peace", "pepper", "pretty", "prince", "princess", "queen", "rainbow", "rose", "school", "sexy",
        "silver",
        "smile", "spring", "star", "stars", "sugar", "summer", "sun", "sunflower", "sunshine", "sweet", "sweety", "the",
        "winter",
        "autumn", "you", "your", "fuckyou", "fuck", "asshole", "bitch", "shit", "trustno",
        // Animals, powers and colours.
        "bear", "bird", "black", "blue", "bunny", "butterfly", "cat", "dog", "doggy", "dolphin", "dragon", "eagle",
        "falcon",
        "fire", "fish", "fox", "ghost", "green", "hunter", "killer", "king", "kitten", "kitty", "lion", "monkey",
        "monster",
        "mustang", "ninja", "panda", "panther", "phoenix", "pirate", "pumpkin", "puppy", "purple", "rabbit", "red",
        "scorpion",
        "shadow", "snoopy", "snow", "spider", "tiger", "thunder", "turtle", "warrior", "white", "wizard", "wolf",
        "yellow", "storm",
        // Games, sport and stories.
        "arsenal", "barcelona", "baseball", "basketball", "batman", "boxing", "chelsea", "cowboys", "cricket",
        "football",
        "fortnite", "gamer", "golf", "guitar", "harley", "hockey", "liverpool", "madrid", "manchester", "mario",
        "matrix",
        "merlin", "metallica", "minecraft", "naruto", "player", "pokemon", "ranger", "rangers", "realmadrid", "ronaldo",
        "runner",
        "skywalker", "soccer", "spiderman", "starwars", "startrek", "superman", "superstar", "tennis", "united",
        "volleyball",
        "yankees", "zombie",
        // Cars, places, months and days.
        "america", "australia", "berlin", "brazil", "california", "canada", "chicago", "china", "corvette", "england",
        "ferrari",
        "florida", "france", "germany", "honda", "india", "ireland", "italia", "italy", "japan", "london", "mercedes",
        "mexico",
        "paris", "porsche", "prague", "russia", "scotland", "spain", "texas", "toyota", "yamaha", "january", "february",
        "march",
        "april", "june", "july", "august", "september", "october", "november", "december", "monday", "tuesday",
        "wednesday",
        "thursday", "friday", "saturday", "sunday", "midnight", "midday", "weekend", "holiday", "christmas", "newyork",
        // Names.
        "adam", "alex", "alexander", "alexandra", "alexis", "alice", "amanda", "amber", "andrea", "andrew", "andy",
        "angela",
        "anna", "anthony", "ashley", "austin", "barbara", "bella", "benjamin", "brandon", "brian", "brittany",
        "caroline",
        "charles", "charlie", "charlotte", "chris", "christian", "christina", "christine", "christopher", "claudia",
        "daniel",
        "daniela", "danielle", "david", "dennis", "diana", "dominik", "edward", "elena", "elizabeth", "emily", "emma",
        "eric",
        "florian", "francesco", "gabriel", "george", "hannah", "harry", "heather", "helena", "jackson", "jacob",
        "james", "jan", "jason",
        "jasmine", "jennifer", "jessica", "john", "johnny", "jonathan", "jordan", "joseph", "joshua", "julia", "julian",
        "justin",
        "karina", "katerina", "katherine", "kevin", "kimberly", "laura", "lauren", "leonardo", "linda", "lisa",
        "louise", "lucas",
        "lukas", "maggie", "marco", "maria", "marina", "mark", "martin", "martina", "matthew", "max", "maximilian",
        "megan", "melanie",
        "melissa", "michael", "michaela", "michal", "michelle", "miguel", "miriam", "monica", "nathan", "nicholas",
        "nicolas",
        "nicole", "oliver", "olivia", "pamela", "patricia", "patrick", "paul", "peter", "petra", "philip", "rachel",
        "rebecca",
        "richard", "robert", "roman", "ryan", "sabrina", "samantha", "samuel", "sandra", "sara", "sarah", "scott",
        "sebastian",
        "simon", "sophia", "sophie", "stefan", "stella", "stephanie", "steven", "susanne", "tamara", "taylor", "teresa",
        "thomas",
        "tiffany", "timothy", "tomas", "valentina", "vanessa", "veronica", "victor", "victoria", "viktoria", "vincent",
        "william",
        "zuzana",
    ]
}
