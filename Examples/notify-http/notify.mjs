// Usage: WAYBILL_KEY=wbk_live_… node notify.mjs https://push.example.com NAME BODY
const [base, name, body] = process.argv.slice(2);

async function notify() {
  for (let attempt = 0; attempt < 6; attempt++) {
    let pause = 2 ** attempt;
    try {
      const answer = await fetch(`${base}/v1/notifications`, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${process.env.WAYBILL_KEY}`,
          "Content-Type": "application/json",
          "Idempotency-Key": `"${name}"`,
        },
        body: JSON.stringify({ level: "warning", body }),
        signal: AbortSignal.timeout(15_000),
      });
      const said = await answer.json();
      if (answer.ok) return said.id;
      if (![409, 429].includes(answer.status) && answer.status < 500) throw new RangeError(said.detail);
      pause = Number(answer.headers.get("Retry-After") ?? pause);
    } catch (problem) {
      if (problem instanceof RangeError) throw problem;
    }
    await new Promise((resolve) => setTimeout(resolve, pause * 1000));
  }
  throw new Error("no answer");
}

console.log(await notify());
