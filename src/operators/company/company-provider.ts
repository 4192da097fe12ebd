import { Inject, Injectable } from '@nestjs/common';
import * as oidc from 'openid-client';
import type { CompanySignInConfig } from '../../core/company-sign-in-config.js';
import { CONFIG, type Config } from '../../core/config.js';
import { AppError } from '../../core/errors.js';
import { present } from '../../core/invariant.js';
import { personOf, type Claims } from './claims.js';
import type { Person } from '../company-accounts.service.js';

/** The page to which the provider returns the browser. */
const RETURN_PATH = '/login/company';

/** Secrets of one sign-in. The provider returns or verifies them, so that an answer of another sign-in is refused. */
export interface Proofs {
  state: string;
  nonce: string;
  /** PKCE (RFC 7636). */
  verifier: string;
}

/** The person who returns from the provider. */
export interface Arrival {
  person: Person;
  /** The time of the sign-in at the provider; null if the provider does not report it. */
  signedInAt: Date | null;
  /** Why claims may be missing: the error of the provider's userinfo endpoint; null without one. */
  missingBecause: unknown;
}

/** A sign-in at the provider may take this long. */
export const MAX_SIGN_IN_SECONDS = 600;
/** A `max_age` makes the provider report when the person signed in. This age is so high that it never forces a new sign-in. */
const ANY_AGE_SECONDS = 10 * 365 * 86_400;
const TIMEOUT_SECONDS = 5;
/** How long the provider's metadata is cached. */
const CACHE_MS = 600_000;

/** The company's OpenID Connect provider: code flow with PKCE, and a verified signature of every ID token. */
@Injectable()
export class CompanyProvider {
  readonly settings: CompanySignInConfig | null;
  private readonly returnUrl: string;
  private known: { provider: Promise<oidc.Configuration>; untilMs: number } | null = null;

  constructor(@Inject(CONFIG) { console }: Config) {
    this.settings = console.company;
    this.returnUrl = console.url + RETURN_PATH;
  }

  /**
   * The address at which the browser signs in.
   * @param isAgain makes the provider ask for credentials even if the person is signed in, to confirm an action.
   * @throws NOT_FOUND if company sign-in is not set up; errors of openid-client.
   */
  async addressOf({ state, nonce, verifier }: Proofs, isAgain: boolean): Promise<string> {
    const { scopes } = this.assertSetUp();
    const parameters = {
      redirect_uri: this.returnUrl,
      scope: scopes,
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      max_age: String(isAgain ? 0 : ANY_AGE_SECONDS),
    };
    return oidc.buildAuthorizationUrl(await this.discovered(), parameters).href;
  }

  /**
   * Exchanges the code for the person's identity.
   * @param answer the parameters with which the provider returned the browser.
   * @param isAgain demands that the person signed in within the last {@link MAX_SIGN_IN_SECONDS}.
   * @throws NOT_FOUND if company sign-in is not set up; errors of openid-client.
   */
  async arrivalOf(answer: URLSearchParams, proofs: Proofs, isAgain: boolean): Promise<Arrival> {
    this.assertSetUp();
    const provider = await this.discovered();
    const tokens = await oidc.authorizationCodeGrant(provider, new URL(`${this.returnUrl}?${answer.toString()}`), {
      expectedState: proofs.state,
      expectedNonce: proofs.nonce,
      pkceCodeVerifier: proofs.verifier,
      ...(isAgain ? { maxAge: MAX_SIGN_IN_SECONDS } : {}),
      idTokenExpected: true,
    });
    const claims = present(tokens.claims(), 'an ID token was expected, and so it is there');
    const { auth_time: at } = claims;
    return {
      ...(await this.personOf(provider, tokens.access_token, claims)),
      signedInAt: typeof at === 'number' ? new Date(at * 1000) : null,
    };
  }

  private async personOf(
    provider: oidc.Configuration,
    accessToken: string,
    claims: oidc.IDToken,
  ): Promise<Pick<Arrival, 'person' | 'missingBecause'>> {
    const settings = this.assertSetUp();
    const signed = personOf(claims, settings);
    const isComplete = signed.role !== null && signed.email !== null;
    if (isComplete || !provider.serverMetadata().userinfo_endpoint) return { person: signed, missingBecause: null };
    // Some providers put few claims into the ID token, and return the others at this endpoint. The token's claims
    // override them.
    try {
      const more: Claims = await oidc.fetchUserInfo(provider, accessToken, claims.sub);
      return { person: personOf(merged(claims, more), settings), missingBecause: null };
    } catch (error) {
      // A person with a role may have a linked account, which needs no address.
      if (signed.role === null) throw error;
      return { person: signed, missingBecause: error };
    }
  }

  private assertSetUp(): CompanySignInConfig {
    if (!this.settings) throw new AppError('NOT_FOUND', 'Company sign-in is not set up here');
    return this.settings;
  }

  /**
   * Reads and caches the metadata at a sign-in, so that the console starts without the provider. Concurrent sign-ins share one
   * request. A failure is not cached.
   */
  private discovered(): Promise<oidc.Configuration> {
    if (this.known && this.known.untilMs > Date.now()) return this.known.provider;
    const provider = this.discover();
    this.known = { provider, untilMs: Date.now() + CACHE_MS };
    provider.catch(() => (this.known = null));
    return provider;
  }

  private async discover(): Promise<oidc.Configuration> {
    const { issuer, clientId, clientSecret } = this.assertSetUp();
    const isHttp = issuer.startsWith('http:');
    const provider = await oidc.discovery(
      new URL(issuer),
      clientId,
      undefined,
      (as, client, body, headers) => authenticate(clientSecret, as)(as, client, body, headers),
      {
        timeout: TIMEOUT_SECONDS,
        // In production, the settings allow http on this machine only.
        execute: [oidc.enableNonRepudiationChecks, ...(isHttp ? [oidc.allowInsecureRequests] : [])],
      },
    );
    // For Microsoft, the library also accepts another issuer than the setting's. Microsoft's "common" issuer would admit people of
    // every company.
    const { issuer: named } = provider.serverMetadata();
    if (new URL(named).href !== new URL(issuer).href)
      throw new oidc.ClientError(`the provider at ${issuer} names itself ${named}`);
    return provider;
  }
}

/** Claims of both sources. `email_verified` is about an address of the same source, unless both name the same address. */
function merged(claims: Claims, more: Claims): Claims {
  const isOfMore = claims.email === undefined || (claims.email === more.email && claims.email_verified === undefined);
  const { email, email_verified } = isOfMore ? more : claims;
  return { ...more, ...claims, email, email_verified };
}

/** Uses HTTP's basic scheme, the default of the standard, unless the provider accepts only `client_secret_post`. */
function authenticate(secret: string, server: oidc.ServerMetadata): oidc.ClientAuth {
  const methods = server.token_endpoint_auth_methods_supported;
  const isOnlyPost = methods?.includes('client_secret_post') && !methods.includes('client_secret_basic');
  return isOnlyPost ? oidc.ClientSecretPost(secret) : oidc.ClientSecretBasic(secret);
}
