// Makes one MongoDB user for each command of Waybill, with exactly the rights of the table in docs/operations/rights.md.
//
//     mongosh "mongodb://admin@store.example.com/" --eval 'const database = "waybill"' --file deploy/users/mongodb.js
//
// The users live in Waybill's database (name it by `database`; waybill by default), so their URLs end in its name:
// mongodb://waybill-dispatch@store.example.com/waybill. A user that is there keeps its password; its role is set again. The
// password of each new user is printed once: write it into the file that store.password_file names.

const RIGHTS = {
  "init": { "deliveries": ["createIndex", "dropIndex", "find", "listIndexes", "update"], "devices": ["createIndex", "find", "listIndexes", "update"], "device_links": ["createIndex", "listIndexes"], "processes": ["createIndex", "listIndexes"], "orders": ["createIndex", "listIndexes"], "statistics": ["createIndex", "listIndexes"], "token_events": ["createIndex", "listIndexes"], "keys": ["createIndex", "listIndexes"], "audiences": ["createIndex", "listIndexes"], "sessions": ["createIndex", "listIndexes"], "audit": ["createIndex", "listIndexes"], "accounts": ["createIndex", "listIndexes"], "logins": ["createIndex", "listIndexes"], "services": ["createIndex", "listIndexes"], "service_images": ["createIndex", "listIndexes"], "memberships": ["createIndex", "listIndexes"], "service_keys": ["createIndex", "listIndexes"], "invitations": ["createIndex", "listIndexes"], "notifications": ["createIndex", "listIndexes"], "receipts": ["createIndex", "listIndexes"], "idempotency": ["createIndex", "listIndexes"], "account_events": ["createIndex", "listIndexes"], "campaigns": ["createIndex", "listIndexes"], "outbox_mail": ["createIndex", "listIndexes"], "webhook_endpoints": ["createIndex", "listIndexes"], "webhook_secrets": ["createIndex", "listIndexes"], "webhook_deliveries": ["createIndex", "listIndexes"], "delivery_receipts": ["createIndex", "listIndexes"], "unacknowledged": ["createIndex", "listIndexes"] },
  "check": { "deliveries": ["find", "listIndexes"], "statistics": ["listIndexes"], "fuses": ["find"], "token_events": ["find", "listIndexes"], "devices": ["find", "listIndexes"], "device_links": ["listIndexes"], "processes": ["find", "listIndexes"], "orders": ["find", "listIndexes"], "keys": ["listIndexes"], "audiences": ["listIndexes"], "sessions": ["listIndexes"], "audit": ["listIndexes"], "accounts": ["listIndexes"], "logins": ["listIndexes"], "services": ["listIndexes"], "service_images": ["listIndexes"], "memberships": ["listIndexes"], "service_keys": ["listIndexes"], "invitations": ["listIndexes"], "notifications": ["find", "listIndexes"], "receipts": ["listIndexes"], "idempotency": ["listIndexes"], "account_events": ["listIndexes"], "campaigns": ["listIndexes"], "outbox_mail": ["find", "listIndexes"], "webhook_endpoints": ["find", "listIndexes"], "webhook_secrets": ["listIndexes"], "webhook_deliveries": ["find", "listIndexes"], "delivery_receipts": ["find", "listIndexes"], "unacknowledged": ["find", "listIndexes"] },
  "dispatch": { "deliveries": ["find", "insert", "update", "listIndexes"], "statistics": ["find", "insert", "update"], "processes": ["insert", "update"], "orders": ["find"], "unacknowledged": ["insert"], "notifications": ["update"] },
  "prune": { "deliveries": ["find"], "fuses": ["find", "insert", "update"], "token_events": ["find", "insert", "update"], "statistics": ["find"], "devices": ["find", "insert", "update", "listIndexes"], "processes": ["insert", "update"] },
  "fanout": { "audiences": ["find", "insert", "update"], "devices": ["find"], "device_links": ["find"], "orders": ["find"], "processes": ["insert", "update"] },
  "schedule": { "notifications": ["find", "update", "changeStream"], "receipts": ["insert"], "account_events": ["insert"], "audiences": ["find", "insert", "update"], "deliveries": ["find"], "orders": ["find", "insert", "update"], "processes": ["insert", "update"], "services": ["find"], "memberships": ["find"], "accounts": ["find"], "delivery_receipts": ["find"], "unacknowledged": ["find", "update"] },
  "audience": { "audiences": ["find"], "devices": ["find"], "device_links": ["find"], "deliveries": ["find"], "orders": ["find", "insert", "update"], "notifications": ["update"] },
  "campaign": { "campaigns": ["find", "insert", "update"], "notifications": ["find", "insert", "update"], "devices": ["find"], "device_links": ["find"], "audiences": ["find", "update"], "orders": ["find", "insert", "update"] },
  "logs": { "deliveries": ["find", "changeStream"], "statistics": ["find"], "fuses": ["find"], "token_events": ["find"], "processes": ["find"], "delivery_receipts": ["find"] },
  "export": { "deliveries": ["find"] },
  "explain": { "deliveries": ["find"], "statistics": ["find"], "devices": ["find"], "fuses": ["find"], "token_events": ["find"], "processes": ["find"], "orders": ["find"], "campaigns": ["find"], "notifications": ["find"], "audiences": ["find"], "delivery_receipts": ["find"], "unacknowledged": ["find"] },
  "stats": { "statistics": ["find", "insert"], "deliveries": ["find"], "delivery_receipts": ["find"] },
  "status": { "deliveries": ["find"], "fuses": ["find"], "token_events": ["find"], "processes": ["find"], "orders": ["find"], "outbox_mail": ["find"], "unacknowledged": ["find"], "delivery_receipts": ["find"], "webhook_endpoints": ["find"], "webhook_deliveries": ["find"], "notifications": ["find"] },
  "top": { "deliveries": ["find"], "fuses": ["find"], "token_events": ["find"], "processes": ["find"], "orders": ["find"], "outbox_mail": ["find"], "unacknowledged": ["find"], "delivery_receipts": ["find"], "webhook_endpoints": ["find"], "webhook_deliveries": ["find"], "notifications": ["find"] },
  "devices": { "devices": ["find", "insert", "update", "listIndexes"] },
  "serve": { "campaigns": ["find", "insert", "update"], "deliveries": ["find", "changeStream"], "devices": ["find", "insert", "update"], "statistics": ["find"], "fuses": ["find", "update"], "token_events": ["find"], "processes": ["find", "insert", "update"], "keys": ["find", "update"], "sessions": ["find", "insert", "update"], "secrets": ["find", "insert", "update"], "orders": ["find", "insert", "update"], "audit": ["insert"], "accounts": ["find", "insert", "update"], "logins": ["find", "insert", "update"], "services": ["find", "insert", "update"], "service_images": ["find", "insert", "update"], "memberships": ["find", "insert", "update"], "service_keys": ["find", "insert", "update"], "invitations": ["find", "insert", "update"], "notifications": ["find", "insert", "update"], "receipts": ["find", "insert", "update"], "idempotency": ["find", "insert"], "account_events": ["find", "insert", "changeStream"], "device_links": ["find", "insert", "update"], "outbox_mail": ["find", "insert", "update"], "webhook_endpoints": ["find", "insert", "update"], "webhook_secrets": ["find", "insert", "update"], "webhook_deliveries": ["find", "insert", "update"], "audiences": ["find", "update"], "delivery_receipts": ["find", "insert"], "unacknowledged": ["find"] },
  "hooks": { "outbox_mail": ["find", "listIndexes", "update"], "processes": ["insert", "update"], "deliveries": ["find", "changeStream"], "webhook_endpoints": ["find", "update"], "webhook_secrets": ["find"], "webhook_deliveries": ["find", "insert", "update", "listIndexes"], "webhook_progress": ["find", "insert", "update"], "delivery_receipts": ["find", "changeStream"] },
  "run": { "audiences": ["find", "insert", "update"], "campaigns": ["find", "insert", "update"], "deliveries": ["find", "insert", "update", "listIndexes", "changeStream"], "statistics": ["find", "insert", "update"], "fuses": ["find", "insert", "update"], "token_events": ["find", "insert", "update"], "devices": ["find", "insert", "update", "listIndexes"], "processes": ["find", "insert", "update"], "keys": ["find", "update"], "sessions": ["find", "insert", "update"], "secrets": ["find", "insert", "update"], "orders": ["find", "insert", "update"], "audit": ["insert"], "accounts": ["find", "insert", "update"], "logins": ["find", "insert", "update"], "services": ["find", "insert", "update"], "service_images": ["find", "insert", "update"], "memberships": ["find", "insert", "update"], "service_keys": ["find", "insert", "update"], "invitations": ["find", "insert", "update"], "notifications": ["find", "insert", "update", "changeStream"], "receipts": ["find", "insert", "update"], "idempotency": ["find", "insert"], "account_events": ["find", "insert", "changeStream"], "device_links": ["find", "insert", "update"], "outbox_mail": ["find", "insert", "listIndexes", "update"], "webhook_endpoints": ["find", "insert", "update"], "webhook_secrets": ["find", "insert", "update"], "webhook_deliveries": ["find", "insert", "update", "listIndexes"], "webhook_progress": ["find", "insert", "update"], "delivery_receipts": ["find", "insert", "changeStream"], "unacknowledged": ["find", "insert", "update"] },
  "keys": { "keys": ["find", "insert", "update"] },
  "accounts": { "accounts": ["find", "update"], "services": ["find", "update"], "memberships": ["find", "insert", "update"] },
  "services": { "accounts": ["find"], "services": ["find", "update"], "memberships": ["find", "insert", "update"], "service_keys": ["find"] },
  "lanes": { "orders": ["find", "insert", "update"], "processes": ["find"] },
  "cancel": { "orders": ["find", "insert", "update"], "deliveries": ["find"], "notifications": ["update"] },
  "webhooks": { "webhook_endpoints": ["find", "insert", "update"], "webhook_secrets": ["find", "insert", "update"], "webhook_deliveries": ["find", "insert", "update"], "deliveries": ["find"] }
};

const name = typeof database === "undefined" ? "waybill" : database;
const target = db.getSiblingDB(name);

for (const [command, collections] of Object.entries(RIGHTS)) {
  const user = `waybill-${command}`;
  const privileges = Object.entries(collections).map(([collection, actions]) => (
    { resource: { db: name, collection }, actions }
  ));
  if (target.getRole(user)) {
    target.updateRole(user, { privileges, roles: [] });
  } else {
    target.createRole({ role: user, privileges, roles: [] });
  }
  if (target.getUser(user)) {
    print(`${user} is there; its rights are as they should be`);
    continue;
  }
  const password = require("crypto").randomBytes(24).toString("base64url");
  target.createUser({ user, pwd: password, roles: [{ role: user, db: name }] });
  print(`made ${user}, password ${password}`);
}
