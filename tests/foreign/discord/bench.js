// What the bot needs of a test bench: checks that go on after a failure, and the control endpoint of the fake.

import { setTimeout as pause } from "node:timers/promises";

let failures = 0;

// Runs the checks in order, each within a limit.
export async function run(checks, prefix) {
  for (const [name, check] of Object.entries(checks)) {
    const late = new AbortController();
    const limit = pause(30_000, null, { signal: late.signal }).then(() => {
      throw new Error("not done after 30 s");
    });
    // Of a limit that was not needed nobody wants to hear.
    limit.catch(() => {});
    try {
      await Promise.race([check(), limit]);
      console.log(`ok ${prefix}: ${name}`);
    } catch (error) {
      failures += 1;
      console.error(error);
      console.log(`FAILED ${prefix}: ${name}: ${error}`);
    } finally {
      late.abort();
    }
  }
  return failures;
}

export function equal(left, right) {
  const [one, other] = [JSON.stringify(left), JSON.stringify(right)];
  if (one !== other) throw new Error(`${one} is not ${other}`);
}

// Whatever `look` finds, as soon as it finds something.
export async function until(look, what) {
  for (let tries = 0; tries < 400; tries += 1) {
    const found = await look();
    if (found) return found;
    await pause(25);
  }
  throw new Error(`${what} did not come`);
}

// Orders for the fake: `people.say({ from: alice, text: "hi" })`.
export function control(url) {
  const order = async (verb, fields) => {
    const answer = await fetch(`${url}/_control`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ do: verb, ...fields }),
    });
    const done = await answer.json();
    if (!done.ok) throw new Error(`${verb}: ${done.error}`);
    return done.result;
  };
  return new Proxy({}, { get: (_, verb) => (fields) => order(verb, fields) });
}
