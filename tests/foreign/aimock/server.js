// Serves the fixtures in every shape that aimock speaks, on a port of the system's choice; prints the address and ends with its input.
import { LLMock } from "@copilotkit/aimock";

const mock = new LLMock({ port: 0, logLevel: "error" });
mock.loadFixtureFile(process.argv[2]);
await mock.start();
console.log(mock.url);
process.stdin.on("close", () => process.exit()).resume();
