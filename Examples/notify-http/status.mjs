// Usage: WAYBILL_KEY=wbk_live_… node status.mjs https://push.example.com ID
const [base, id] = process.argv.slice(2);

const answer = await fetch(`${base}/v1/notifications/${id}`, {
  headers: { Authorization: `Bearer ${process.env.WAYBILL_KEY}` },
  signal: AbortSignal.timeout(15_000),
});
const said = await answer.json();
if (!answer.ok) throw new Error(said.detail);
console.log(said.state);
for (const [outcome, count] of Object.entries(said.outcomes)) console.log(outcome, count);
