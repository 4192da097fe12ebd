// Holds answers and webhook deliveries against openapi.json. Node itself loads this file (see openapi-check.ts), so that a jest
// worker reads the document and compiles a schema once, whatever number of test files it runs.
const { readFileSync } = require('node:fs');
const path = require('node:path');
const { Ajv2020 } = require('ajv/dist/2020.js');
const addFormats = require('ajv-formats');

const KEY = 'openapi.json';
const document = JSON.parse(readFileSync(path.resolve(__dirname, '../../openapi.json'), 'utf8'));

/** What HTTP, Node and a proxy add to any answer or request, and Standard Webhooks do not name. */
const OF_THE_TRANSPORT = [
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
  'host',
  'server',
  'user-agent',
];

const options = { strict: false, allErrors: true, validateSchema: false, discriminator: true };
const bodies = addFormats(new Ajv2020(options)).addSchema(closed(document), KEY);
// A header is text, whatever it says.
const headers = addFormats(new Ajv2020({ ...options, coerceTypes: true })).addSchema(document, KEY);

/** Merchants must expect new members (docs/versioning.md); the service may not have any that the document lacks. */
function closed(part) {
  if (Array.isArray(part)) return part.map(closed);
  if (typeof part !== 'object' || part === null) return part;
  const copy = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, closed(value)]));
  // Ajv reads a mapping of its own, from the constants of the schemas.
  if (copy.discriminator) delete copy.discriminator.mapping;
  const isObject = part.type === 'object' && typeof part.properties === 'object';
  return isObject ? { additionalProperties: false, ...copy } : copy;
}

const operations = Object.entries(document.paths).flatMap(([template, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    place: ['paths', template, method],
    method: method.toUpperCase(),
    pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    operation,
  })),
);

/** What is wrong with an answer, a line for each problem. @param fields its headers, `[name, value]` each. */
function problemsOfAnswer(method, target, status, fields, body) {
  const [pathname] = target.split('?');
  if (!pathname.startsWith('/v1/')) return [];
  const found = operations.filter((each) => each.method === method && each.pattern.test(pathname));
  // /v1/players/check is itself, whatever template it fits too.
  const { place, operation } = found.find(({ place: [, template] }) => template === pathname) ?? found[0] ?? {};
  if (operation === undefined) return status < 400 ? ['the document has no such route'] : problemsOfError(body);
  const response = operation.responses[status];
  if (response === undefined) return [`the document has no answer ${status} of it`];
  const answer = [...place, 'responses', String(status)];
  return [
    ...problems(bodies, [...answer, 'content', 'application/json', 'schema'], body),
    ...fields.flatMap(([name, value]) => problemsOfHeader(response, answer, name.toLowerCase(), value)),
    ...(fields.some(([name]) => name.toLowerCase() === 'x-request-id') ? [] : ['it has no X-Request-Id']),
  ];
}

const problemsOfError = (body) => problems(bodies, ['components', 'schemas', 'ErrorDto'], body);

function problemsOfHeader(response, place, name, value) {
  if (OF_THE_TRANSPORT.includes(name)) return [];
  const declared = Object.keys(response.headers ?? {}).find((each) => each.toLowerCase() === name);
  if (declared === undefined) return [`the document has no header ${name} of it`];
  const { $ref } = response.headers[declared];
  const at = $ref === undefined ? [...place, 'headers', declared] : $ref.split('/').slice(1);
  return problems(headers, [...at, 'schema'], value).map((problem) => `header ${name}: ${problem}`);
}

/** What is wrong with a delivery to a webhook. @param fields its headers by their names in lower case. */
function problemsOfDelivery(fields, text) {
  const body = JSON.parse(text);
  const webhook = document.webhooks[body.event]?.post;
  if (webhook === undefined) return [`the document has no event ${body.event}`];
  const place = ['webhooks', body.event, 'post', 'requestBody', 'content', 'application/json', 'schema'];
  const parameters = webhook.parameters.map(({ $ref }) => $ref.split('/').slice(1));
  const names = parameters.map((at) => at.at(-1));
  return [
    ...problems(bodies, place, body),
    ...parameters.flatMap((at) =>
      problems(headers, [...at, 'schema'], fields[at.at(-1)]).map((problem) => `${at.at(-1)}: ${problem}`),
    ),
    ...Object.keys(fields)
      .filter((name) => !names.includes(name) && !OF_THE_TRANSPORT.includes(name))
      .map((name) => `the document has no header ${name} of it`),
    ...(fields['webhook-id'] === body.id ? [] : ['webhook-id is not the id of the body']),
  ];
}

/** @param place of a schema in the document. */
function problems(ajv, place, value) {
  const pointer = place.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
  const validate = ajv.getSchema(`${KEY}#/${encodeURI(pointer)}`);
  if (!validate) throw new Error(`openapi.json has nothing at /${pointer}`);
  if (validate(value)) return [];
  return validate.errors.map(({ instancePath, message, params }) => {
    const { additionalProperty } = params;
    return `${instancePath || 'the whole'} ${message}${additionalProperty ? ` (${additionalProperty})` : ''}`;
  });
}

module.exports = { problemsOfAnswer, problemsOfDelivery };
