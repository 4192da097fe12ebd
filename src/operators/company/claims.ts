import type { CompanySignInConfig } from '../../core/company-sign-in-config.js';
import { storable, textProblem } from '../../core/text.js';
import type { Person } from '../company-accounts.service.js';
import type { Role } from '../roles.js';

/** The provider's claims about a person. */
export interface Claims {
  iss?: unknown;
  sub?: unknown;
  [name: string]: unknown;
}

type Settings = Pick<CompanySignInConfig, 'roleClaim' | 'roles' | 'trustsEmail'>;

/** Reads claims about a person: of a verified ID token, and perhaps of the provider's userinfo endpoint. */
export function personOf(claims: Claims, settings: Settings): Person {
  const email = verifiedEmail(claims, settings);
  return {
    issuer: String(claims.iss),
    subject: String(claims.sub),
    email,
    name: nameOf(claims, email),
    role: roleOf(claims, settings),
  };
}

function verifiedEmail({ email, email_verified: reported }: Claims, { trustsEmail }: Settings): string | null {
  // Some providers send `email_verified` as text.
  const isVerified = reported === true || reported === 'true' || (reported === undefined && trustsEmail);
  if (!isVerified || typeof email !== 'string') return null;
  const address = email.trim().toLowerCase();
  return /^[^\s@]+@[^\s@]+$/.test(address) && textProblem(address, 3, 128) === null ? address : null;
}

function nameOf({ name, preferred_username: username, sub }: Claims, email: string | null): string {
  const candidates = [name, email?.split('@')[0], username, sub].map((each) =>
    typeof each === 'string' ? storable(each, 128) : '',
  );
  return candidates.find((each) => each !== '') ?? 'Operator';
}

/** The role of the first of the settings' `roles` whose value is in the person's claim; null if there is none. */
function roleOf(claims: Claims, settings: Settings): Role | null {
  const { roleClaim, roles } = settings;
  const found = roleClaim === 'email' ? verifiedEmail(claims, settings) : valueAt(claims, roleClaim);
  const values = new Set(Array.isArray(found) ? (found as unknown[]) : [found]);
  return roles.find(({ value }) => values.has(value))?.role ?? null;
}

/** Returns the claim with this name, which may contain dots. Without such a claim, reads the name as a path of members. */
function valueAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Claims)[part];
  }
  return value;
}
