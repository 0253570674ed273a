// What to do about a finding of the installation's state, where the finding itself does not say it.

/** @type {[RegExp, string][]} */
const ADVICE = [
    [/has no consumer/, "No dispatcher reads this queue: start one, or see what keeps it from the broker."],
    [/no dispatcher runs/, "Start waybill dispatch (or waybill run), and look at why the last one ended: its log, or systemctl status."],
    [/no dispatcher is ready/, "A dispatcher runs and cannot work yet: see below what it lacks."],
    [/broker does not answer/, "Look at RabbitMQ: does it run, is its address right? Nothing is lost meanwhile; it resumes by itself."],
    [/store does not answer|no primary/, "Look at MongoDB: has the replica set a primary? Messages wait in the broker meanwhile; it resumes by itself."],
    [/lane .* is paused/, "An operator paused it. Resume it on the lane’s page when the reason is gone."],
    [/lane .* is draining/, "An operator drains it. Resume it on the lane’s page when the reason is gone."],
    [/InvalidProviderToken|ExpiredProviderToken|MissingProviderToken/, "Check the lane’s key_id, team_id and key file: APNs does not accept what it signs. Messages wait and lose no attempts."],
    [/BadTopic|TopicDisallowed|MissingTopic/, "Check the lane’s bundle_id: APNs does not let its key send for this topic. Messages wait and lose no attempts."],
    [/BadCertificate/, "Renew the lane’s certificate, or use a key."],
    [/TooManyProviderTokenUpdates/, "Several programs renew tokens for the same key. Nothing to do: it goes on after the pause."],
    [/lane .* is parked/, "It is tried again by itself, with one message at a time. The lane’s page has the cause; its messages wait in the delay queues."],
    [/no waybill prune runs/, "Start waybill prune: until then dead tokens stay enabled in the registry."],
    [/rejected queue holds/, "Look at why, remove the cause, and replay or drop them."],
    [/majority of the store/, "A member of the replica set is slow or away. Records take longer to become durable, and pushes go out more slowly."],
    [/should have gone/, "MongoDB removes expired records by itself; see whether its TTL monitor runs."],
    [/alarm/i, "RabbitMQ takes no new messages while its alarm lasts: give it disk or memory."],
    [/HTTP API does not help/, "Check broker.management and the tag monitoring of its user."],
];

/** @param {string} finding @returns {string | undefined} */
export const adviceFor = (finding) => ADVICE.find(([form]) => form.test(finding))?.[1];
