import type { Environment } from './environment.js';
import { isLoopback } from './urls.js';
import { splitList } from './networks.js';
import { ROLES, type Role } from './role-names.js';

/** Settings of company sign-in by OpenID Connect. */
export interface CompanySignInConfig {
  /** The provider's identifier, to the letter. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The OpenID Connect scopes, separated by blanks, such as `openid profile email`. */
  readonly scopes: string;
  /** The claim with the person's groups, or a path such as `realm_access.roles`. */
  readonly roleClaim: string;
  /** A person gets the role of the first entry whose value is in the claim. */
  readonly roles: readonly { readonly value: string; readonly role: Role }[];
  /** Whether an email address counts as verified if the provider does not report whether it is. */
  readonly trustsEmail: boolean;
  /** The name on the button; null for the default text. */
  readonly name: string | null;
}

type Variable = Extract<keyof Environment, `CONSOLE_OIDC_${string}`>;

/**
 * @param isConsole whether this process is a console. Other processes may lack the secret, so they ignore these settings.
 * @returns the settings, or null if none is set or this is no console, and the rest of the environment.
 */
export function readCompanySignIn<Given extends Pick<Environment, Variable | 'NODE_ENV'>>(
  environment: Given,
  problems: string[],
  isConsole: boolean,
): [CompanySignInConfig | null, Omit<Given, Variable>] {
  const {
    CONSOLE_OIDC_ISSUER: issuer,
    CONSOLE_OIDC_CLIENT_ID: clientId,
    CONSOLE_OIDC_CLIENT_SECRET: clientSecret,
    CONSOLE_OIDC_ROLES: roles,
    CONSOLE_OIDC_ROLE_CLAIM: roleClaim,
    CONSOLE_OIDC_SCOPES: scopes,
    CONSOLE_OIDC_TRUST_EMAIL: trustsEmail,
    CONSOLE_OIDC_NAME: name,
    ...others
  } = environment;
  const needed = Object.entries({
    CONSOLE_OIDC_ISSUER: issuer,
    CONSOLE_OIDC_CLIENT_ID: clientId,
    CONSOLE_OIDC_CLIENT_SECRET: clientSecret,
    CONSOLE_OIDC_ROLES: roles,
  });
  const missing = needed.filter(([, value]) => !value).map(([variable]) => variable);
  if (!isConsole || missing.length === needed.length) return [null, others];
  if (missing.length > 0)
    problems.push(
      `company sign-in is incomplete: set ${missing.join(' and ')} too, or remove all CONSOLE_OIDC_ variables`,
    );
  if (issuer) checkIssuer(issuer, environment.NODE_ENV, problems);
  const settings = { issuer, clientId, clientSecret, scopes, roleClaim, trustsEmail, name: name || null };
  const entries = readRoles(roles, problems);
  // Addresses are compared in lower case.
  const byAddress =
    roleClaim === 'email' ? entries.map((each) => ({ ...each, value: each.value.toLowerCase() })) : entries;
  return [{ ...settings, roles: byAddress }, others];
}

function checkIssuer(issuer: string, mode: Environment['NODE_ENV'], problems: string[]): void {
  const url = URL.canParse(issuer) ? new URL(issuer) : null;
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.username && !/[?#]/.test(issuer);
  if (!isPlain)
    problems.push(
      'CONSOLE_OIDC_ISSUER must be the https URL of the provider, such as https://login.example.com/realms/staff',
    );
  else if (issuer.includes('/.well-known/'))
    problems.push('CONSOLE_OIDC_ISSUER must end before /.well-known/: it is the issuer, not its document');
  else if (mode === 'production' && url.protocol === 'http:' && !isLoopback(url))
    problems.push('CONSOLE_OIDC_ISSUER must begin with https:// in production, except on this machine itself');
}

/** Reads `value=role,…`; a value may have equals signs. */
function readRoles(text: string, problems: string[]): CompanySignInConfig['roles'] {
  const entries = splitList(text);
  if (text && entries.length === 0)
    problems.push('CONSOLE_OIDC_ROLES names no role: set entries such as topup-admins=admin');
  return entries.flatMap((entry) => {
    const at = entry.lastIndexOf('=');
    const value = entry.slice(0, Math.max(at, 0)).trim();
    const name = entry.slice(at + 1).trim();
    const role = ROLES.find((each) => each === name);
    if (value !== '' && role !== undefined) return [{ value, role }];
    problems.push(
      `CONSOLE_OIDC_ROLES has an entry that is not value=role, with a role of ${ROLES.join(', ')}: ${entry}`,
    );
    return [];
  });
}
