/** The parts of an OpenAPI document that requests are made from. */
export interface ApiDocument {
  info: { title: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
}

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  parameters?: { name: string; in: string; description?: string; schema?: { default?: unknown } }[];
  requestBody?: { content: Record<string, { examples?: Record<string, { value: object }> }> };
  responses: Record<string, unknown>;
}

/** A request of a collection, as the format has it (https://schema.postman.com, collection v2.1.0). */
export interface PostmanRequest {
  name: string;
  event: { listen: 'test'; script: { type: 'text/javascript'; exec: string[] } }[];
  request: {
    method: string;
    description: string;
    header: { key: string; value: string }[];
    url: { raw: string; host: string[]; path: string[]; query: PostmanQuery[] };
    body?: { mode: 'raw'; raw: string; options: object };
  };
  response: never[];
}

interface PostmanQuery {
  key: string;
  value: string;
  description: string;
  disabled: true;
}

export interface PostmanCollection {
  info: { name: string; description: string; schema: string };
  auth: { type: 'apikey'; apikey: { key: string; value: string; type: 'string' }[] };
  variable: { key: string; value: string; description?: string }[];
  item: { name: string; description: string; item: PostmanRequest[] }[];
}

const VARIABLES: PostmanCollection['variable'] = [
  { key: 'base_url', value: 'http://localhost:3000', description: 'Where the API is' },
  {
    key: 'api_key',
    value: 'topup_test_…',
    description: 'Your API key; a sandbox key buys nothing from anybody',
  },
  {
    key: 'webhook_url',
    value: 'https://shop.example/webhooks/topup',
    description: 'Where you receive webhooks',
  },
  { key: 'sku', value: 'MLBB-86' },
  // Earlier requests set these from their responses.
  ...['reference_id', 'deposit_reference_id', 'webhook_id', 'delivery_id', 'event_id'].map((key) => ({
    key,
    value: '',
  })),
];

/** The variables that a response sets for later requests, each with its place in the body. */
const FOUND: Record<string, [variable: string, where: string]> = {
  Orders_create: ['reference_id', 'reference_id'],
  Deposits_create: ['deposit_reference_id', 'reference_id'],
  Webhooks_createWebhook: ['webhook_id', 'id'],
  Deliveries_sendTestEvent: ['delivery_id', 'id'],
  Events_list: ['event_id', 'data[0]?.id'],
};

/** Members of bodies that must not be those of the example. */
const OWN: Record<string, object> = {
  // Each order needs a new reference: a repeated one returns the same order.
  Orders_create: { reference_id: 'order-{{$guid}}' },
  // The sandbox never pays this amount, so it can be cancelled.
  Deposits_create: { reference_id: 'deposit-{{$guid}}', amount: '1001.00' },
  Webhooks_createWebhook: { url: '{{webhook_url}}' },
};

/** The requests of the API as a collection for Postman, which Bruno imports as well. Each folder works from top to bottom. */
export function postmanCollection({ info, tags, paths }: ApiDocument): PostmanCollection {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      tag: operation.tags[0],
      request: requestOf(method, path, operation),
      finds: FOUND[operation.operationId]?.[0],
    })),
  );
  return {
    info: {
      name: info.title,
      description: info.description,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: {
      type: 'apikey',
      apikey: [
        { key: 'key', value: 'X-API-Key', type: 'string' },
        { key: 'value', value: '{{api_key}}', type: 'string' },
        { key: 'in', value: 'header', type: 'string' },
      ],
    },
    variable: VARIABLES,
    item: tags.map(({ name, description }) => ({
      name,
      description,
      item: inOrder(operations.filter(({ tag }) => tag === name)),
    })),
  };
}

function requestOf(method: string, path: string, operation: Operation): PostmanRequest {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const segments = path.slice(1).replaceAll(/\{(\w+)\}/g, (_all, name: string) => variableOf(path, name));
  const status = Object.keys(responses).find((each) => each.startsWith('2')) ?? '200';
  const example = Object.values(requestBody?.content['application/json']?.examples ?? {})[0]?.value;
  return {
    name: summary,
    event: [{ listen: 'test', script: { type: 'text/javascript', exec: scriptOf(operationId, status) } }],
    request: {
      method: method.toUpperCase(),
      description: description ?? '',
      header: example === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }],
      url: {
        raw: `{{base_url}}/${segments}`,
        host: ['{{base_url}}'],
        path: segments.split('/'),
        query: parameters.filter((each) => each.in === 'query').map(queryOf),
      },
      ...(example === undefined ? {} : { body: bodyOf({ ...example, ...OWN[operationId] }) }),
    },
    response: [],
  };
}

const bodyOf = (body: object): PostmanRequest['request']['body'] => ({
  mode: 'raw',
  raw: JSON.stringify(body, null, 2),
  options: { raw: { language: 'json' } },
});

const queryOf = (parameter: NonNullable<Operation['parameters']>[number]): PostmanQuery => ({
  key: parameter.name,
  value: String((parameter.schema?.default as string | number | undefined) ?? ''),
  description: parameter.description ?? '',
  disabled: true,
});

/** Two kinds of things have an `id` in their path, and two a `reference_id`. */
function variableOf(path: string, name: string): string {
  if (path.startsWith('/v1/deposits/')) return `{{deposit_${name}}}`;
  const kind = path.startsWith('/v1/events/') ? 'event' : 'webhook';
  return `{{${name === 'id' ? `${kind}_id` : name}}}`;
}

function scriptOf(operationId: string, status: string): string[] {
  const found = FOUND[operationId];
  const check = `pm.test('is answered with ${status}', () => pm.response.to.have.status(${status}));`;
  if (found === undefined) return [check];
  const [variable, where] = found;
  const value = `pm.response.json().${where} ?? ''`;
  return [check, `if (pm.response.code === ${status}) pm.collectionVariables.set('${variable}', ${value});`];
}

/** Requests that set a variable come before those that need it; those that change and delete come last. */
function inOrder(requests: { request: PostmanRequest; finds: string | undefined }[]): PostmanRequest[] {
  const rank = ({ request: { request }, finds }: (typeof requests)[number]): number => {
    if (request.method === 'DELETE') return 4;
    // The example switches the webhook off.
    if (request.method === 'PATCH') return 3;
    if (finds === undefined) return 2;
    return request.url.raw.includes('_id}}') ? 1 : 0;
  };
  return requests.toSorted((one, other) => rank(one) - rank(other)).map(({ request }) => request);
}
