import type { OpenAPIObject } from '@nestjs/swagger';

type Headers = Record<
  string,
  { schema: { type: string; [member: string]: unknown }; description: string; example: unknown }
>;

const EVERY: Headers = {
  'X-Request-Id': {
    schema: { type: 'string', minLength: 1, maxLength: 128 },
    description: 'Identifies this request in our logs: your own value if it is valid, else one that we generate.',
    example: '018f3a7e-7d0c-7c3e-8b1a-000000000000',
  },
};

const RATE_LIMIT: Headers = {
  'RateLimit-Limit': {
    schema: { type: 'integer', minimum: 1 },
    description: 'Requests of this kind that this API key may make in a second. Absent without a limit.',
    example: 1000,
  },
  'RateLimit-Remaining': {
    schema: { type: 'integer', minimum: 0 },
    description: 'Requests that this API key may make now, without waiting.',
    example: 999,
  },
  'RateLimit-Reset': {
    schema: { type: 'integer', minimum: 0 },
    description: 'If `RateLimit-Remaining` is 0: seconds until this API key may make further requests.',
    example: 1,
  },
  'RateLimit-Policy': {
    schema: { type: 'string' },
    description: 'The limit, and the number of seconds to which it applies.',
    example: '1000;w=1',
  },
};

const RETRY: Headers = {
  'Retry-After': {
    schema: { type: 'integer', minimum: 1 },
    description: 'Seconds after which you may send the same request again. Absent if waiting does not help.',
    example: 1,
  },
};

/** Declares the headers that answers of all routes have. A header of a single route is declared at the route. */
export function declareHeaders(document: OpenAPIObject): OpenAPIObject {
  for (const item of Object.values(document.paths)) {
    for (const operation of [item.get, item.post, item.patch, item.delete]) {
      for (const [status, response] of Object.entries(operation?.responses ?? {})) {
        if (!response || '$ref' in response) continue;
        response.headers = { ...referencesTo(headersOf(status)), ...response.headers };
      }
    }
  }
  document.components = { ...document.components, headers: { ...EVERY, ...RATE_LIMIT, ...RETRY } };
  return document;
}

function headersOf(status: string): Headers {
  // Answers of 401 and 403 come before the rate limit, so they lack its headers.
  const isCounted = status !== '401' && status !== '403';
  const isTemporary = status === '429' || status === '503';
  return { ...EVERY, ...(isCounted ? RATE_LIMIT : {}), ...(isTemporary ? RETRY : {}) };
}

const referencesTo = (headers: Headers): Record<string, { $ref: string }> =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, { $ref: `#/components/headers/${name}` }]));
