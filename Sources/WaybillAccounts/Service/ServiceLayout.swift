/// The collections of services: what tells people something, and who is told.
///
/// `services`: one document for each.
///
/// | field | type | meaning |
/// |---|---|---|
/// | `_id` | string | a UUID in small letters |
/// | `name` | string | 1 to 64 characters |
/// | `image` | string | base64; absent: it has none |
/// | `key_created_at` | date | of the one key in `service_keys` that holds |
/// | `created_at` | date | |
/// | `updated_at` | date | later at every change than before it, whatever the clock says |
/// | `deleted_at` | date | when its owner deleted it; absent: it is there |
/// | `expires_at` | date | when the TTL index erases it; absent in one that is there |
///
/// `memberships`: one document for each person of a service.
///
/// | field | type | meaning |
/// |---|---|---|
/// | `service`, `account` | string | `_id` of each; unique together |
/// | `role` | string | `owner`, `manager` or `member` |
/// | `levels` | int | which levels reach this person: 1 for information, 2 for warnings, 4 for errors, added up |
/// | `joined_at` | date | |
/// | `expires_at` | date | when the TTL index erases it; absent in one that holds |
///
/// `service_keys`: one document for each key that a service has had.
///
/// | field | type | meaning |
/// |---|---|---|
/// | `service` | string | `_id` of the service |
/// | `digest` | string | of the key, as in `keys`; unique |
/// | `root` | string | which secret it was derived from |
/// | `created_at` | date | it holds while this is its service's `key_created_at` |
/// | `expires_at` | date | when the TTL index erases it; absent in one that holds |
///
/// Changes of several documents take no transaction: what decides is one document, written last where something begins
/// (a service has nobody before its membership, a key nothing before `key_created_at`) and first where something ends.
enum ServiceLayout {
    static let services = "services"
    static let memberships = "memberships"
    static let keys = "service_keys"

    enum ServiceField {
        static let id: StaticString = "_id"
        static let name: StaticString = "name"
        static let image: StaticString = "image"
        static let keyCreatedAt: StaticString = "key_created_at"
        static let createdAt: StaticString = "created_at"
        static let updatedAt: StaticString = "updated_at"
        static let deletedAt: StaticString = "deleted_at"
        static let expiresAt: StaticString = "expires_at"
    }

    enum MembershipField {
        static let service: StaticString = "service"
        static let account: StaticString = "account"
        static let role: StaticString = "role"
        static let levels: StaticString = "levels"
        static let joinedAt: StaticString = "joined_at"
        static let expiresAt: StaticString = "expires_at"
    }

    enum KeyField {
        static let service: StaticString = "service"
        static let digest: StaticString = "digest"
        static let root: StaticString = "root"
        static let createdAt: StaticString = "created_at"
        static let expiresAt: StaticString = "expires_at"
    }
}
