import type { ApiKeys } from './seed.js';
import type { DemoOperator } from './demo-operator.js';

/** The facts about the running stack that a newcomer needs. */
export interface BannerFacts {
  apiUrl: string;
  apiManagementUrl: string;
  workerManagementUrl: string;
  consoleUrl: string;
  simulatorUrl: string;
  dataDir: string;
  /** Null when the database was not seeded here. */
  apiKeys: ApiKeys | null;
  operator: DemoOperator | null;
}

/** The last lines of `npm start`: all addresses, and commands to paste. */
export function banner(facts: BannerFacts): string {
  const { apiUrl, apiManagementUrl, workerManagementUrl, consoleUrl, simulatorUrl, dataDir } = facts;
  const { demo, sandbox: key } = facts.apiKeys ?? { demo: '<API key>', sandbox: '<API key>' };
  const order =
    '{\\"reference_id\\":\\"demo-$(date +%s%N)\\",\\"user_id\\":\\"player-1\\",\\"server_id\\":\\"2001\\",' +
    '\\"items\\":[{\\"sku\\":\\"MLBB-86\\",\\"quantity\\":1}]}';
  return `
The order service is ready.

  API            ${apiUrl}/v1
  Documentation  ${apiUrl}/  (for merchants; Swagger UI: ${apiUrl}/docs)
  Console        ${consoleUrl}${signInWith(facts.operator)}
  API, inside    ${apiManagementUrl}/metrics  ${apiManagementUrl}/queues
  Worker, inside ${workerManagementUrl}/metrics  ${workerManagementUrl}/queues
  Supplier       ${simulatorUrl}  (simulator; what was bought: ${simulatorUrl}/purchases)
  Data           ${dataDir}

  Sandbox key    ${key}  (to try the API: buys nothing from any supplier)
  Demo API key   ${demo}  (buys from the simulator)

Create an order (a new reference each time):

  curl -sS -X POST ${apiUrl}/v1/orders -H 'X-API-Key: ${key}' -H 'Content-Type: application/json' -d "${order}"

Look at it: the newest order, or one by its reference at ${apiUrl}/v1/orders/<reference_id>:

  curl -sS '${apiUrl}/v1/orders?limit=1' -H 'X-API-Key: ${key}'

Operate it, in another terminal:

  npm run -s topup -- merchant list
  npm run -s topup -- --help

Ctrl-C stops everything; the data stay for the next start.
`;
}

function signInWith(operator: DemoOperator | null): string {
  if (operator === null) return '';
  const { email, link } = operator;
  return link === null ? `  (sign in as ${email})` : `  (first set the password of ${email}: ${link})`;
}
