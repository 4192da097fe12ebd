import { badRequest } from './http.js';
import type { TopUpRequest } from './purchases.js';

/** In UTF-16 units: room for any 128 characters that an order may have. */
const MAX_MEMBER = 256;

/**
 * Reads the body of `POST /v1/top-ups`; members that the protocol does not name are ignored.
 * @throws Refusal (400) that names the first missing or mistaken member.
 */
export function parseTopUp(body: unknown): TopUpRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw badRequest('The body is not a JSON object.');
  }
  const members = body as Record<string, unknown>;
  return {
    reference: text(members, 'reference'),
    sku: text(members, 'sku'),
    userId: text(members, 'user_id'),
    serverId: optionalText(members, 'server_id'),
    characterId: optionalText(members, 'character_id'),
  };
}

/** Whether two requests have the same reference and content. */
export function sameTopUp(one: TopUpRequest, other: TopUpRequest): boolean {
  return (
    one.reference === other.reference &&
    one.sku === other.sku &&
    one.userId === other.userId &&
    one.serverId === other.serverId &&
    one.characterId === other.characterId
  );
}

function text(members: Record<string, unknown>, name: string): string {
  const value = members[name];
  if (value === undefined || value === null) throw badRequest(`${name} is required.`);
  if (typeof value !== 'string') throw badRequest(`${name} must be a string.`);
  if (value.length < 1 || value.length > MAX_MEMBER) {
    throw badRequest(`${name} must have 1 to ${MAX_MEMBER} characters.`);
  }
  return value;
}

function optionalText(members: Record<string, unknown>, name: string): string | null {
  return members[name] === undefined || members[name] === null ? null : text(members, name);
}
