/// The collections of services: what tells people something, and who is told.
///
/// `services`: one document for each.
///
/// | field | type | meaning |
/// |---|---|---|
/// | `_id` | string | a UUID in small letters |
/// | `name` | string | 1 to 64 characters |
/// | `image` | document | what is known of its image without the bytes: `_id` in `service_images`, `digest`, `format`, `width`, `height`, `bytes`; absent: it has none |
/// | `key_created_at` | date | of the one key in `service_keys` that holds |
/// | `key_holders` | document | who owned it when that key was made, and knows it: `created_at` of the key, and their `accounts`; the key holds while all of them own it. Of another key's moment, or absent: an earlier version has made the key, or it has ended |
/// | `created_at` | date | |
/// | `updated_at` | date | later at every change than before it, whatever the clock says |
/// | `suspended_at` | date | when an operator suspended it; absent: it is not |
/// | `deleted_at` | date | when its owner deleted it; absent: it is there |
/// | `deletion` | document | somebody has deleted it, and not all of that is done: `at` and `account` say when and who, `request` and `how` by which request; these two are absent where it goes with something else |
/// | `expires_at` | date | when the TTL index erases it; absent in one that is there |
/// | `ending_keys` | array of strings | `_id` in `service_keys` of those that are being ended, or were |
/// | `key_ends` | int | how often one was put there |
///
/// `service_images`: one document for each image that a service has or had lately.
///
/// | field | type | meaning |
/// |---|---|---|
/// | `_id` | string | `img_` and 16 characters |
/// | `service` | string | `_id` of the service |
/// | `data` | binary | the file; absent in one that was erased |
/// | `created_at` | date | |
/// | `expires_at` | date | when the TTL index erases it; absent in one that the service names |
///
/// `memberships`: one document for each person of a service.
///
/// | field | type | meaning |
/// |---|---|---|
/// | `service`, `account` | string | `_id` of each; unique together |
/// | `role` | string | `owner`, `manager` or `member` |
/// | `levels` | int | which levels reach this person: 1 for information, 2 for warnings, 4 for errors, 8 for what is critical, added up |
/// | `muted_until` | date | until when nothing reaches this person; absent: it does |
/// | `joined_at` | date | |
/// | `disowning` | document | somebody ends this ownership: `_id` of the end, and `at`, when it was begun; absent: nobody does |
/// | `news` | array of documents | changes of it that are not told yet: `kind`, `role` or `to` whom, `at`, and by which `account` and `request` and `how`; absent or empty: all are |
/// | `gone_at` | date | when its person has left or was removed, where that was to be told; absent in one that holds |
/// | `expires_at` | date | when the TTL index erases it; absent in one that holds |
///
/// `service_keys`: one document for each key that a service has had, of two kinds. One that its owner can read again is derived
/// (`root`):
///
/// | field | type | meaning |
/// |---|---|---|
/// | `service` | string | `_id` of the service |
/// | `digest` | string | of the key, as in `keys`; unique |
/// | `root` | string | which secret it was derived from |
/// | `created_at` | date | it holds while this is its service's `key_created_at` |
/// | `expires_at` | date | when the TTL index erases it; absent in one that holds |
///
/// The others are shown once (`name`):
///
/// | field | type | meaning |
/// |---|---|---|
/// | `_id` | string | `key_` and ten characters |
/// | `service`, `digest`, `created_at`, `expires_at` | | as above; `created_at` says nothing but when |
/// | `kind` | string | `live`, or `test`: its notifications go to the lane of test keys |
/// | `last_four` | string | of the key |
/// | `name` | string | what it is for |
/// | `scopes` | array of strings | words of ``ServiceKeyScope`` |
/// | `created_by` | string | `_id` of the account |
/// | `ends_at` | date | when it ends; absent: not by itself |
/// | `last_used_at` | date | a minute old at the most |
/// | `last_used_from` | string | the network that it was used from then |
/// | `replaced_by` | string | `_id` of the key that it was rotated to |
/// | `revoked_at` | date | when somebody ended it |
/// | `notice_at` | date | when a mail is to say that it ends soon; absent: no mail is |
///
/// `invitations`: one document for each that nobody has answered; one that was goes.
///
/// | field | type | meaning |
/// |---|---|---|
/// | `_id` | string | `inv_` and 16 characters |
/// | `service` | string | `_id` of the service |
/// | `digest` | string | of what its link holds; unique |
/// | `role` | string | `manager` or `member` |
/// | `email` | string | where its mail went; absent: it is a link, or was answered |
/// | `email_key` | string | the same in small letters; absent also in one that a former version has made, for its week |
/// | `created_by` | string | `_id` of the account: it holds while that may invite |
/// | `created_at` | date | |
/// | `answered_by` | string | `_id` of the account that has accepted, declined or withdrawn it; absent: nobody has |
/// | `expires_at` | date | when it ends, and when the TTL index erases it |
///
/// Changes of several documents take no transaction: what decides is one document, written last where something begins
/// (a service has nobody before its membership, a key nothing before `key_created_at`) and first where something ends.
enum ServiceLayout {
    static let services = "services"
    static let images = "service_images"
    static let memberships = "memberships"
    static let keys = "service_keys"
    static let invitations = "invitations"

    enum ServiceField {
        static let id: StaticString = "_id"
        static let name: StaticString = "name"
        static let image: StaticString = "image"
        static let keyCreatedAt: StaticString = "key_created_at"
        static let keyHolders: StaticString = "key_holders"
        // Of `key_holders`.
        static let accounts: StaticString = "accounts"
        static let createdAt: StaticString = "created_at"
        static let updatedAt: StaticString = "updated_at"
        static let suspendedAt: StaticString = "suspended_at"
        static let deletedAt: StaticString = "deleted_at"
        static let deletion: StaticString = "deletion"
        static let deletionBegunAt: StaticString = "deletion.at"
        // Of `deletion`.
        static let at: StaticString = "at"
        static let account: StaticString = "account"
        static let request: StaticString = "request"
        static let how: StaticString = "how"
        static let expiresAt: StaticString = "expires_at"
        static let endingKeys: StaticString = "ending_keys"
        static let keyEnds: StaticString = "key_ends"
    }

    /// Of a service's `image`, and of the document with the bytes.
    enum ImageField {
        static let id: StaticString = "_id"
        static let digest: StaticString = "digest"
        static let format: StaticString = "format"
        static let width: StaticString = "width"
        static let height: StaticString = "height"
        static let bytes: StaticString = "bytes"
        static let service: StaticString = "service"
        static let data: StaticString = "data"
        static let createdAt: StaticString = "created_at"
        static let expiresAt: StaticString = "expires_at"
    }

    enum MembershipField {
        static let service: StaticString = "service"
        static let account: StaticString = "account"
        static let role: StaticString = "role"
        static let levels: StaticString = "levels"
        static let mutedUntil: StaticString = "muted_until"
        static let joinedAt: StaticString = "joined_at"
        static let disowning: StaticString = "disowning"
        static let disowningID: StaticString = "disowning._id"
        static let news: StaticString = "news"
        static let newsAt: StaticString = "news.at"
        static let anyNews: StaticString = "news.0"
        // Of `news`, beside `role`, `account` and `at`.
        static let kind: StaticString = "kind"
        static let to: StaticString = "to"
        static let request: StaticString = "request"
        static let how: StaticString = "how"
        // Of `disowning`.
        static let id: StaticString = "_id"
        static let at: StaticString = "at"
        static let goneAt: StaticString = "gone_at"
        static let expiresAt: StaticString = "expires_at"
    }

    enum InvitationField {
        static let id: StaticString = "_id"
        static let service: StaticString = "service"
        static let digest: StaticString = "digest"
        static let role: StaticString = "role"
        static let email: StaticString = "email"
        static let emailKey: StaticString = "email_key"
        static let createdBy: StaticString = "created_by"
        static let createdAt: StaticString = "created_at"
        static let answeredBy: StaticString = "answered_by"
        static let expiresAt: StaticString = "expires_at"
    }

    enum KeyField {
        static let service: StaticString = "service"
        static let digest: StaticString = "digest"
        static let root: StaticString = "root"
        static let createdAt: StaticString = "created_at"
        static let expiresAt: StaticString = "expires_at"
        static let id: StaticString = "_id"
        static let kind: StaticString = "kind"
        static let lastFour: StaticString = "last_four"
        static let name: StaticString = "name"
        static let scopes: StaticString = "scopes"
        static let createdBy: StaticString = "created_by"
        static let endsAt: StaticString = "ends_at"
        static let lastUsedAt: StaticString = "last_used_at"
        static let lastUsedFrom: StaticString = "last_used_from"
        static let replacedBy: StaticString = "replaced_by"
        static let revokedAt: StaticString = "revoked_at"
        static let noticeAt: StaticString = "notice_at"
    }
}
